/** What `doctor` says of a schema registry, by its answers. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { LastTaken } from "../../../../src/features/operate/doctor/LastTaken.ts"
import { schemaRegistryCheck } from "../../../../src/features/operate/doctor/SchemaRegistryCheck.ts"
import type { LedgerMarker } from "../../../../src/spine/event/LedgerEvent.ts"
import { type Answer, answering, makeAnsweringRegistry } from "../../../support/log/answeringRegistry.ts"

describe("a schema registry", () => {
  it.live("is only looked at: the answer says what the next start will do and what will be refused", () =>
    Effect.gen(function* () {
      const look = (answer: Answer, taken: LastTaken = new Map()) =>
        Effect.flatMap(makeAnsweringRegistry(answer), ({ host }) =>
          schemaRegistryCheck(
            `http://us%3Aer:hunter2@${host}`,
            "staging.",
            ["testnet"],
            Effect.succeed(taken),
            Effect.succeed(new Map())
          )
        )
      const seen: Array<string> = []
      const holding =
        (own: "there" | "taken" | "refused", level: string): Answer =>
        (request, response) => {
          seen.push(`${request.method} ${request.url}`)
          if (request.url?.startsWith("/subjects") && own !== "there") {
            return answering(404, '{"error_code":40403,"message":"Schema not found"}')(request, response)
          }
          const body = { id: 1, is_compatible: own === "taken", compatibilityLevel: level }
          answering(200, JSON.stringify(body))(request, response)
        }
      assert.strictEqual(
        (yield* look(holding("there", "BACKWARD_TRANSITIVE"))).detail,
        "reachable; the schemas are registered"
      )
      assert.deepStrictEqual(seen.slice(0, 2), [
        "POST /subjects/staging.xrpl.testnet.ledgers-value",
        "GET /config/staging.xrpl.testnet.ledgers-value"
      ])
      assert.match(
        (yield* look(holding("there", "NONE"))).detail,
        /^reachable; the next start sets the compatibility of (\d+) of \1 schemas to BACKWARD_TRANSITIVE$/
      )
      for (const empty of [holding("taken", ""), answering(404, '{"message":"Subject not found"}')]) {
        assert.match((yield* look(empty)).detail, /^reachable; the next start registers (\d+) of \1 schemas$/)
      }
      // The check needs to know only that a ledger was taken.
      const taken: LastTaken = new Map([["testnet", {} as LedgerMarker]])
      const emptied = yield* look(answering(404, '{"message":"Subject not found"}'), taken)
      assert.strictEqual(emptied.status, "problem")
      assert.match(emptied.detail, /^reachable, but all \d+ schemas are gone: /)
      // Those of the version before are not gone: this program has not started yet.
      assert.match((yield* look(holding("taken", ""), taken)).detail, /^reachable; the next start registers /)
      const refused = yield* look(holding("refused", "BACKWARD_TRANSITIVE"))
      assert.match(refused.detail, /refuses this version's schema of staging\.xrpl\.testnet\.ledgers-value/)
      const locked = yield* look(answering(401, "{}"))
      assert.match(locked.detail, /does not accept its user and password/)
      assert.notInclude(JSON.stringify([refused, locked]), "hunter2")
    })
  )
})
