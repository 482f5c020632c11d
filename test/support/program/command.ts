/**
 * Runs a command in the test's own process, as `src/main.ts` runs it: arguments and environment in, exit code and both
 * streams out. Only one command can run at a time, because it uses the process's streams.
 */
import { Console as StreamConsole } from "node:console"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Console, Effect, Layer, Stdio, Stream } from "effect"
import { run } from "../../../src/app/Root.ts"
import { endingOf } from "../../../src/terminal/Failure.ts"
import { Invocation } from "../../../src/terminal/Invocation.ts"
import { makeSignalHandling, Signals } from "../../../src/terminal/Signals.ts"
import type { Ended } from "./program.ts"

export interface CommandOptions {
  readonly environment: Readonly<Record<string, string>>
  readonly input?: string
  /** Whether standard output is a terminal. Default: it is not. */
  readonly terminal?: boolean
  /** Whether standard error is one: lines that replace one another are shown there. Default: it is not. */
  readonly stderrTerminal?: boolean
}

/** Captures everything that is written to the stream while the scope is open. */
const captured = (stream: NodeJS.WriteStream) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const { write } = stream
      const parts: Array<string> = []
      stream.write = (chunk: string | Uint8Array) => {
        parts.push(String(chunk))
        return true
      }
      return { parts, write }
    }),
    ({ write }) =>
      Effect.sync(() => {
        stream.write = write
      })
  )

/** Runs the command until it ends. */
export const runCommand = (
  args: ReadonlyArray<string>,
  { environment, input, stderrTerminal = false, terminal = false }: CommandOptions
) =>
  Effect.gen(function* () {
    const [stdout, stderr] = [yield* captured(process.stdout), yield* captured(process.stderr)]
    const stdin = Stdio.layerTest(
      input === undefined ? {} : { stdin: Stream.make(new TextEncoder().encode(input)) }
    )
    const exit = yield* run(args).pipe(
      Effect.provide(
        Layer.mergeAll(
          NodeServices.layer,
          // The test runner's own console bypasses the process's streams.
          Layer.succeed(Console.Console, new StreamConsole(process.stdout, process.stderr)),
          Layer.succeed(Signals, makeSignalHandling().service),
          Layer.succeed(Invocation, { environment, stdoutTerminal: terminal, stderrTerminal })
        ).pipe(Layer.merge(stdin))
      ),
      Effect.exit
    )
    const { code, lines } = endingOf(exit, false)
    const ended: Ended = {
      code,
      stdout: stdout.parts.join(""),
      stderr: [...stderr.parts, ...lines.map((line) => `${line}\n`)].join("")
    }
    return ended
  }).pipe(Effect.scoped)
