/** A process keeps its row while it runs, and `doctor` says what the rows say. */
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Exit, Fiber, Layer, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { reportFinding } from "../../../src/features/operate/doctor/StoredChecks.ts"
import { forgetProcesses, keepProcess, readProcesses } from "../../../src/features/operate/ProcessRows.ts"
import { Settings } from "../../../src/spine/config/Config.ts"
import { type Role, roles } from "../../../src/spine/config/Definitions.ts"
import { RELEASE } from "../../../src/spine/log/Log.ts"
import { Health } from "../../../src/spine/observe/Health.ts"
import { ProcessId } from "../../../src/spine/store/ProcessId.ts"
import { eventually, eventuallyAdvancing } from "../../support/ledger/ingesting.ts"
import { settingsLayer } from "../../support/program/settings.ts"
import { TestDatabase } from "../../support/store/postgres.ts"

/** A process that runs until its scope is closed. */
const startProcess = Effect.fnUntraced(function* (own: ReadonlyArray<Role>) {
  const scope = yield* Scope.make()
  const services = yield* Layer.buildWithScope(Layer.fresh(Layer.merge(Health.layer, ProcessId.layer)), scope)
  yield* keepProcess("0.3.0", own).pipe(Scope.provide(scope), Effect.provide(services))
  return { health: Context.get(services, Health), stop: Scope.close(scope, Exit.void) }
})

const finding = Effect.flatMap(Settings, reportFinding)
const detail = Effect.map(finding, (found) => found?.detail)
const says = (text: string) => Effect.map(detail, (now) => now?.includes(text) === true)
const until = (text: string) => eventually(says(text))

layer(TestDatabase)("the rows of processes", (it) => {
  it.effect("say which roles are alive, fail, are stopped or silent", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      assert.isUndefined(yield* finding, "nothing is missing from a service that is stopped")

      const most = yield* startProcess(roles.filter((role) => role !== "delay"))
      yield* until("No process has the role delay: none has had it within the last day.")
      assert.include((yield* detail) ?? "", "Start a process with ROLES=delay.")

      const delaying = yield* startProcess(["delay"])
      yield* until("No process has made a report of the whole service yet")

      yield* delaying.health.set("delay", { status: "failed", detail: "failed; is being restarted" })
      yield* eventuallyAdvancing(says("The role delay fails in every process that has it"))

      yield* delaying.health.set("log", { status: "failed", detail: "ECONNREFUSED" })
      yield* eventuallyAdvancing(
        Effect.map(readProcesses, (rows) => rows.some(({ parts }) => parts["log"]?.status === "failed"))
      )
      const [row] = yield* sql<{
        readonly parts: object
        readonly release: string
      }>`SELECT parts, release FROM processes WHERE roles = '{delay}'`
      assert.strictEqual(row!.release, RELEASE)
      assert.includeMembers(Object.keys(row!.parts), ["clock", "database", "log"])

      yield* delaying.stop
      yield* until("stopped in order")

      yield* sql`UPDATE processes SET seen_at = seen_at - interval '11 seconds' WHERE stopped_at IS NULL`
      assert.isUndefined(yield* finding, "no process runs")
      yield* most.stop

      yield* sql`UPDATE processes SET seen_at = seen_at - interval '25 hours'`
      const forgetting = yield* Effect.forkChild(forgetProcesses)
      yield* eventually(Effect.map(readProcesses, (rows) => rows.length === 0))
      yield* Fiber.interrupt(forgetting)
    }).pipe(Effect.provide(settingsLayer()))
  )
})
