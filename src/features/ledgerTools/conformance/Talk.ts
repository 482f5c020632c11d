/**
 * A conversation with a command in JSON lines: one question, one answer. The command must answer each line within a
 * time limit; its standard error is shown. It is ended when the scope closes. Every fault is a sentence.
 */

import { Effect, type PlatformError, Queue, type Scope, Stream } from "effect"
import { ChildProcess, type ChildProcessSpawner } from "effect/process"
import { printable } from "../../../spine/words/Printable.ts"
import { type CommandFailed, failed } from "../../../terminal/Failure.ts"
import { makeLineSplitter } from "../../../terminal/InputFile.ts"
import { ledgerToolsLimits } from "../Limits.ts"

/** How long a command that is asked to end may take before it is killed. */
const KILL_AFTER = "2 seconds"

/** Answers that wait to be read: more come only from a command that answers without being asked. */
const ANSWERS_WAITING = 16

const startFault = (command: string, { reason }: PlatformError.PlatformError): CommandFailed => {
  const why = reason._tag === "NotFound" ? "there is no such command" : printable(reason.message)
  return failed(`${printable(command)} cannot be started: ${why}.`)
}

/** Sends a line and returns the answer. `about` names the question in a fault. */
export type Ask = (line: string, about: string) => Effect.Effect<string, CommandFailed>

/** `command`: a name or path. */
export const startTalk = (
  command: string,
  args: ReadonlyArray<string>,
  waitSeconds: number
): Effect.Effect<Ask, CommandFailed, ChildProcessSpawner.ChildProcessSpawner | Scope.Scope> =>
  Effect.gen(function* () {
    const questions = yield* Queue.unbounded<string>()
    const child = yield* ChildProcess.make(command, args, {
      stdin: Stream.encodeText(Stream.fromQueue(questions)),
      stderr: "inherit",
      forceKillAfter: KILL_AFTER
    }).pipe(Effect.mapError((error) => startFault(command, error)))
    const splitter = makeLineSplitter(ledgerToolsLimits.conformanceAnswerLength)
    const answers = yield* child.stdout.pipe(
      Stream.decodeText,
      Stream.map(splitter.push),
      Stream.flattenIterable,
      Stream.toQueue({ capacity: ANSWERS_WAITING })
    )
    const ended = (about: string) =>
      child.exitCode.pipe(
        Effect.match({
          onSuccess: (code) =>
            failed(`The command ended with exit code ${code} before it answered ${about}.`),
          onFailure: () => failed(`The command ended before it answered ${about}.`)
        }),
        Effect.flatMap(Effect.fail)
      )
    return (line, about) =>
      Queue.offer(questions, `${line}\n`).pipe(
        Effect.andThen(Queue.take(answers)),
        Effect.catch(() => ended(about)),
        Effect.timeoutOrElse({
          duration: `${waitSeconds} seconds`,
          orElse: () =>
            Effect.fail(
              failed(
                `The command did not answer ${about} within ${waitSeconds} s. It must write one line for each line that it reads, and flush it at once.`
              )
            )
        }),
        Effect.filterOrFail(
          (answer) => answer.length <= ledgerToolsLimits.conformanceAnswerLength,
          () =>
            failed(
              `The command's answer to ${about} is longer than ${ledgerToolsLimits.conformanceAnswerLength / 1_000_000} million characters.`
            )
        )
      )
  })
