/**
 * Starts programs in child processes and exchanges messages with them over Node's channel. A child ends with the scope
 * that started it, or when its parent has ended.
 */
import { type ChildProcess, fork } from "node:child_process"
import { Effect, type Scope } from "effect"

export interface Child {
  readonly process: ChildProcess
  /** Sends `message`, if given, and returns the child's next message. */
  readonly ask: (message?: unknown) => Effect.Effect<unknown>
}

/** Starts a program of bench/support. Its standard output goes to our standard error. */
export const startChild = (
  program: string,
  args: ReadonlyArray<string> = []
): Effect.Effect<Child, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() =>
        fork(`${import.meta.dirname}/${program}`, args, { execArgv: [], stdio: ["ignore", 2, 2, "ipc"] })
      ),
      (child) => Effect.sync(() => child.kill("SIGKILL"))
    ),
    (child): Child => ({
      process: child,
      ask: (message) =>
        Effect.callback((resume) => {
          const ended = () => resume(Effect.die(new Error(`${program} ended`)))
          child.once("exit", ended)
          child.once("message", (answer) => {
            child.off("exit", ended)
            resume(Effect.succeed(answer))
          })
          if (message !== undefined) child.send(message as object)
        })
    })
  )

/** In a child: sends a message to the parent, and resolves once it is sent. */
export const send = (message: unknown): Promise<void> =>
  new Promise((resolve, reject) => {
    if (process.send === undefined) throw new Error("this program is started by bench/run.ts")
    process.send(message ?? null, (error: Error | null) => (error === null ? resolve() : reject(error)))
  })

/** In a child: ends this process when the parent ends. */
export const endWithParent = (): void => void process.on("disconnect", () => process.exit(0))
