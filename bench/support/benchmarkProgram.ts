/**
 * Runs one benchmark in its own process and sends its figures to the parent: `benchmarkProgram.ts NAME PROGRAM`. So no
 * benchmark affects another.
 */

import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Effect } from "effect"
import * as Logging from "../../src/spine/observe/Logging.ts"
import * as Telemetry from "../../src/spine/observe/Telemetry.ts"
import { terminalLimits } from "../../src/terminal/Limits.ts"
import type { Benchmark } from "./Benchmark.ts"
import { send } from "./Child.ts"

const [, , name = "", program = ""] = process.argv
// Every file of bench/ exports a benchmark by default, and run.ts gives no other names.
const { default: benchmark } = (await import(`../${name}.ts`)) as { readonly default: Benchmark }

benchmark
  .run((figure) => void send(figure), program)
  .pipe(
    Effect.andThen(Effect.promise(() => send(undefined))),
    Effect.scoped,
    Effect.provide([
      Logging.layer({
        level: "warn",
        format: "pretty",
        colour: false,
        repeats: terminalLimits.repeatedMessages
      }),
      // The program uses this layer if no endpoint for traces is set.
      Telemetry.layer(undefined)
    ]),
    NodeRuntime.runMain
  )
