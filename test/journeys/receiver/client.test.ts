/**
 * A client that oazapfts generates from the published document, used as it comes: every call below is checked by the
 * compiler against the generated types, and answered by the real service.
 */

import { spawnSync } from "node:child_process"
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Oazapfts from "@oazapfts/runtime"
import { Effect } from "effect"
import * as client from "../../../dashboard/src/api/ledgerhook.ts"
import { EventIndex } from "../../../src/features/events/EventIndex.ts"
import { eventually, startDelivering } from "../../support/deliver/delivering.ts"
import { eventOf } from "../../support/deliver/events.ts"
import { makeReceiver, signatureHolds } from "../../support/deliver/receiver.ts"
import { ApiUnderTest } from "../../support/http/api.ts"
import { serviceLayer } from "../../support/http/service.ts"

const CLIENT = "dashboard/src/api/ledgerhook.ts"

/** The options that every call of a customer with a key needs. */
const customer = Effect.gen(function* () {
  const { url, account } = yield* ApiUnderTest
  const { key } = yield* account()
  return { baseUrl: url, headers: { "X-Service-Key": key } }
})

/** The body of a successful response. */
const succeed = <A extends Oazapfts.WithHeaders<Oazapfts.ApiResponse>>(call: () => Promise<A>) =>
  Effect.promise(() => Oazapfts.ok(call()))

describe("the generated client", () => {
  it("is made again if it is missing or changed, or if the document is, and else left alone", () => {
    const folder = mkdtempSync(join(tmpdir(), "ledgerhook-client-"))
    for (const name of ["dashboard", "schemas", "tools"]) mkdirSync(join(folder, name))
    for (const file of ["tools/client.js", "dashboard/package.json"]) cpSync(file, join(folder, file))
    symlinkSync(resolve("node_modules"), join(folder, "node_modules"))
    const client = join(folder, CLIENT)
    const write = (title: string) => {
      const text = JSON.stringify({ openapi: "3.1.0", info: { title, version: "1.0.0" }, paths: {} })
      writeFileSync(join(folder, "schemas/openapi.json"), text)
    }
    /** What the client is after a run, and which file that is: a new one has another number. */
    const run = () => {
      const { status, stderr } = spawnSync(process.execPath, [join(folder, "tools/client.js")])
      assert.strictEqual(status, 0, String(stderr))
      return { text: readFileSync(client, "utf8"), file: statSync(client).ino }
    }
    write("First")
    const first = run()
    assert.include(first.text, " * First\n")
    assert.deepStrictEqual(run(), first)
    writeFileSync(client, first.text.replace("First", "Changed by hand"))
    assert.strictEqual(run().text, first.text)
    write("Second")
    assert.include(run().text, " * Second\n")
    rmSync(folder, { recursive: true })
  })

  it("type-checks as it is generated", () => {
    const folder = mkdtempSync(join(tmpdir(), "ledgerhook-client-"))
    symlinkSync(resolve("node_modules"), join(folder, "node_modules"))
    const file = join(folder, "ledgerhook.mts")
    // Without the line that keeps the compiler from it.
    writeFileSync(file, readFileSync(CLIENT, "utf8").replace("// @ts-nocheck\n", ""))
    const options = [
      "--noEmit",
      "--strict",
      "--noUnusedLocals",
      "--noUncheckedIndexedAccess",
      "--skipLibCheck"
    ]
    const target = ["--module", "nodenext", "--target", "es2024", "--types", "node"]
    const { status, stdout } = spawnSync(resolve("node_modules/.bin/tsc"), [...options, ...target, file], {
      cwd: folder,
      encoding: "utf8"
    })
    rmSync(folder, { recursive: true })
    assert.strictEqual(status, 0, stdout)
  })

  it.live("registers a webhook, tests it, reads what was delivered and counts it", () =>
    Effect.gen(function* () {
      const opts = yield* customer
      const receiver = yield* makeReceiver()
      yield* startDelivering
      const created = yield* succeed(() =>
        client.createWebhook({ url: receiver.url, event_types: ["nft.*"], max_in_flight: 4 }, {}, opts)
      )
      assert.match(created.secret, /^whsec_/)
      const page = yield* succeed(() => client.listWebhooks({ status: "active", limit: 1 }, opts))
      assert.deepStrictEqual([page.has_more, page.next_cursor], [false, null])
      assert.deepStrictEqual({ ...page.data[0]!, secret: created.secret }, created)

      const { delivery_id } = yield* succeed(() =>
        client.testWebhook(created.id, { event_type: "nft.minted" }, {}, opts)
      )
      const shown = succeed(() => client.getDelivery(delivery_id, {}, opts))
      yield* eventually(Effect.map(shown, ({ status }) => assert.strictEqual(status, "delivered")))
      const delivered = yield* shown
      assert.deepInclude(delivered, { webhook_id: created.id, response_status: 200, attempts: 1 })
      assert.strictEqual(delivered.attempt_history[0]?.attempt, 1)
      assert.isTrue(signatureHolds(created.secret, receiver.received[0]!))
      assert.strictEqual(receiver.received[0]!.body, delivered.request_body)

      const listed = yield* succeed(() =>
        client.listDeliveries(
          { webhookId: created.id, status: ["delivered"], since: "2026-01-01T00:00:00Z" },
          opts
        )
      )
      assert.deepStrictEqual(
        listed.data.map(({ id }) => id),
        [delivery_id]
      )
      const stats = yield* succeed(() => client.getDeliveryStats({ period: "1h", series: true }, opts))
      assert.deepInclude(stats, { total: 1, delivered: 1, success_rate: 100 })
      assert.isAbove(stats.series?.length ?? 0, 0)

      const retried = yield* Effect.promise(() => client.retryDelivery(delivery_id, {}, opts))
      if (retried.status !== 409) return assert.fail(`a delivered one was retried: ${retried.status}`)
      assert.strictEqual(retried.data.error.code, "DELIVERY_NOT_FAILED")

      const rotated = yield* succeed(() => client.rotateWebhookSecret(created.id, undefined, {}, opts))
      assert.notStrictEqual(rotated.secret, created.secret)
      const changed = yield* succeed(() => client.changeWebhook(created.id, { status: "disabled" }, {}, opts))
      assert.strictEqual(changed.status, "disabled")
      yield* succeed(() => client.deleteWebhook(created.id, {}, opts))
      const gone = yield* Effect.promise(() => client.getWebhook(created.id, {}, opts))
      assert.strictEqual(gone.status, 404)
    }).pipe(Effect.scoped, Effect.provide(serviceLayer()))
  )

  it.live("reads events page by page, and ledgers and the account", () =>
    Effect.gen(function* () {
      const opts = yield* customer
      const events = yield* EventIndex
      yield* events.insert(
        [1, 2, 3].map((ledgerIndex) => eventOf({ ledgerIndex })),
        Date.now()
      )
      const filter = {
        eventType: ["payment.xrp" as const, "nft.minted" as const],
        ledgerIndexMin: 1,
        limit: 2
      }
      const first = yield* succeed(() => client.listEvents(filter, opts))
      const second = yield* succeed(() =>
        client.listEvents({ ...filter, cursor: first.next_cursor ?? "" }, opts)
      )
      const found = [...first.data, ...second.data]
      assert.deepStrictEqual(
        found.map(({ ledger_index }) => ledger_index),
        [3, 2, 1]
      )
      assert.deepStrictEqual(yield* succeed(() => client.getEvent(found[0]!.event_id, {}, opts)), found[0])
      const { data } = yield* succeed(() => client.getLedgerCoverage({}, opts))
      assert.deepStrictEqual(
        data.map((one) => "network" in one && one.network),
        ["mainnet"]
      )
      const account = yield* succeed(() => client.getAccount({}, opts))
      assert.deepStrictEqual([account.plan, account.usage.deliveries], ["enterprise", 0])
    }).pipe(Effect.scoped, Effect.provide(serviceLayer()))
  )

  it.live("makes, lists and revokes keys, and gives each failure its status and code", () =>
    Effect.gen(function* () {
      const opts = yield* customer
      const made = yield* succeed(() =>
        client.createApiKey({ name: "reader", scopes: ["webhooks:read"] }, {}, opts)
      )
      const reader = { ...opts, headers: { "X-Service-Key": made.key } }
      const keys = yield* succeed(() => client.listApiKeys({}, opts))
      const listed = keys.data.find(({ id }) => id === made.id)
      assert.strictEqual(listed?.key_hint, `svc_live_…${made.key.slice(-4)}`)

      const forbidden = yield* Effect.promise(() =>
        client.createWebhook({ url: "https://example.com", event_types: ["*"] }, {}, reader)
      )
      if (forbidden.status !== 403) return assert.fail(`not refused: ${forbidden.status}`)
      assert.strictEqual(forbidden.data.error.code, "FORBIDDEN")
      assert.include(forbidden.data.error.message, "webhooks:write")

      const invalid = yield* Effect.promise(() =>
        client.listWebhooks({ limit: 101, xRequestId: "trace-1" }, reader)
      )
      if (invalid.status !== 400) return assert.fail(`not refused: ${invalid.status}`)
      assert.strictEqual(invalid.data.error.message, "limit must be an integer from 1 to 100.")
      assert.strictEqual(invalid.headers.get("x-request-id"), "trace-1")

      yield* succeed(() => client.revokeApiKey(made.id, {}, opts))
      const revoked = yield* Effect.promise(() => client.listWebhooks({}, reader))
      if (revoked.status !== 401) return assert.fail("a revoked key still works")
      assert.strictEqual(revoked.data.error.code, "UNAUTHORIZED")
      yield* succeed(() => client.getReadiness({}, { baseUrl: opts.baseUrl }))
    }).pipe(Effect.scoped, Effect.provide(serviceLayer()))
  )
})
