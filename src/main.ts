/**
 * The `ledgerhook` program. Only this file reads the environment, handles signals and ends the process. Variables of
 * the environment override those of `.env`.
 */
import { readFileSync } from "node:fs"
import { setDefaultAutoSelectFamilyAttemptTimeout } from "node:net"
import { parseEnv } from "node:util"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, Layer } from "effect"
import { run } from "./app/Root.ts"
import type { Environment } from "./spine/config/Config.ts"
import { ExitCode, endingOf } from "./terminal/Failure.ts"
import { Invocation } from "./terminal/Invocation.ts"
import { makeSignalHandling, Signals } from "./terminal/Signals.ts"

const end = (code: number, lines: ReadonlyArray<string>): never => {
  for (const line of lines) process.stderr.write(`${line}\n`)
  process.exit(code)
}

const dotEnv = (): Environment => {
  try {
    return parseEnv(readFileSync(".env", "utf8"))
  } catch (error) {
    // Node's file errors carry a code.
    const { code, message } = error as NodeJS.ErrnoException
    return code === "ENOENT" ? {} : end(ExitCode.usage, [`ledgerhook: .env cannot be read: ${message}`])
  }
}

/**
 * How long the program's other connections (PostgreSQL, Kafka, mail, telemetry) try one address of several, one at a
 * time: long enough for a distant host, short enough for a dead one.
 */
const CONNECT_ALONE_MS = 2_500

const environment: Environment = { ...dotEnv(), ...process.env }

// For the libraries that connect themselves (docs/decisions/0018-connections.md).
setDefaultAutoSelectFamilyAttemptTimeout(CONNECT_ALONE_MS)

// A reader may close the pipe early (`| head`): that is no failure.
process.stdout.on("error", (error: NodeJS.ErrnoException) =>
  end(error.code === "EPIPE" ? ExitCode.fine : ExitCode.failed, [])
)

// The reader of the log may have ended, or its disk may be full: the service goes on without it.
process.stderr.on("error", () => {})

const signals = makeSignalHandling()
const fiber = Effect.runFork(
  run(process.argv.slice(2)).pipe(
    Effect.provide(
      Layer.mergeAll(
        NodeServices.layer,
        Layer.succeed(Signals, signals.service),
        Layer.succeed(Invocation, {
          environment,
          stdoutTerminal: process.stdout.isTTY === true,
          stderrTerminal: process.stderr.isTTY === true
        })
      )
    )
  )
)
signals.attach(fiber, (code, line) => end(code, [`ledgerhook: ${line}`]))
fiber.addObserver((exit) => {
  const { code, lines } = endingOf(exit, environment["LOG_LEVEL"] === "debug")
  end(code, lines)
})
