/**
 * This machine lacks file descriptors, ports or memory: that says nothing about the receiver, so no attempt counts. The
 * deliveries stay due and are sent when it can.
 */

import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { SqlClient } from "effect/sql"
import { DeliverLimits, deliverLimits } from "../../../../src/spine/deliver/Limits.ts"
import { shortageOf } from "../../../../src/spine/deliver/send/RequestFailures.ts"
import { Sender } from "../../../../src/spine/deliver/send/Sender.ts"
import { DeliveryStore } from "../../../../src/spine/deliveries/DeliveryStore.ts"
import { Resolver } from "../../../../src/spine/net/Resolver.ts"
import {
  deliveringLayer,
  eventually,
  makeWebhook,
  queueEvents,
  queueReplayed,
  setStatus,
  startDelivering,
  untilAll
} from "../../../support/deliver/delivering.ts"
import { deliveryIdsOf, makeReceiver } from "../../../support/deliver/receiver.ts"

const errorWith = (fields: object) => Object.assign(new Error("failed"), fields)

describe("a shortage of this machine", () => {
  it.each([
    ["EMFILE", { code: "EMFILE", syscall: "connect" }],
    ["ENFILE", { code: "ENFILE" }],
    ["ENOBUFS", { code: "ENOBUFS", syscall: "write" }],
    ["ENOMEM", { code: "ENOMEM", syscall: "queryA" }],
    ["EAI_MEMORY", { code: "EAI_MEMORY", syscall: "getaddrinfo" }],
    ["EBUSY", { code: "EBUSY", syscall: "getaddrinfo" }],
    ["EADDRNOTAVAIL", { code: "EADDRNOTAVAIL", address: "192.0.2.1", port: 443 }],
    ["EMFILE", { code: "UND_ERR_SOCKET", cause: errorWith({ code: "EMFILE" }) }]
  ])("%s is recognised: %o", (code, fields) => {
    assert.include(shortageOf(errorWith(fields)), `(${code})`)
  })

  it.each([
    [{ code: "ECONNREFUSED", address: "192.0.2.1" }],
    [{ code: "ENETUNREACH" }],
    // A machine without IPv6 has no address for such a connection.
    [{ code: "EADDRNOTAVAIL", address: "2001:db8::1" }],
    [{ code: "EBUSY", syscall: "connect" }],
    [{ code: "toString" }],
    [{}]
  ])("is not %o", (fields) => {
    assert.isUndefined(shortageOf(errorWith(fields)))
  })

  it.live("is reported for every way to connect while a process has no free descriptor", () =>
    Effect.gen(function* () {
      const receiver = yield* makeReceiver()
      const script = 'ulimit -n 128; exec "$0" test/spine/deliver/shortProgram.ts "$1"'
      const { stdout } = yield* Effect.promise(() =>
        promisify(execFile)("bash", ["-c", script, process.execPath, receiver.url])
      )
      const { without, after } = JSON.parse(stdout)
      assert.lengthOf(without, 4)
      for (const { shortage } of without) assert.match(shortage, /too many open files.*\((EMFILE|EBUSY)\)$/)
      assert.include(after, { delivered: true, responseStatus: 200 })
      assert.lengthOf(receiver.received, 1)
    }).pipe(Effect.scoped)
  )
})

describe("deliveries that this machine could not send", () => {
  it.live("stay due, single and in batches, live and replayed, and are sent in order when it can", () => {
    const said: Array<string> = []
    let isShort = true
    let asked = 0
    return Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const store = yield* DeliveryStore
      const receiver = yield* makeReceiver()
      const url = receiver.url.replace("127.0.0.1", "receiver.example")
      const webhook = yield* makeWebhook(url, { maxInFlight: 1 })
      const batched = yield* makeWebhook(url, { batch: { max_events: 10, max_wait_ms: 1 } })
      const disabled = yield* makeWebhook(url)
      yield* startDelivering
      const live = yield* queueEvents(webhook, 20)
      const waiting = [
        ...live,
        ...(yield* queueReplayed(webhook, 3)),
        ...(yield* queueEvents(batched, 20)),
        ...(yield* queueEvents(disabled, 2))
      ]
      yield* eventually(Effect.sync(() => assert.isAbove(asked, 2)))
      // What becomes of the webhook meanwhile decides about its deliveries, as always.
      yield* setStatus(disabled, "disabled")
      const off = waiting.slice(-2)
      yield* eventually(
        Effect.gen(function* () {
          const states = yield* store.states(off)
          for (const id of off) assert.isTrue(states.get(id)?.parked)
        })
      )
      yield* setStatus(disabled, "active")
      const states = yield* store.states(waiting)
      for (const id of waiting) assert.deepInclude(states.get(id), { status: "pending", attempts: 0 }, id)
      isShort = false
      yield* untilAll(waiting, "delivered")
      assert.sameMembers(receiver.received.flatMap(deliveryIdsOf), waiting)
      const ofLive = receiver.received.flatMap(deliveryIdsOf).filter((id) => live.includes(id))
      assert.deepStrictEqual(ofLive, live)
      assert.lengthOf(yield* sql`SELECT FROM deliveries WHERE attempts <> 1 OR last_error IS NOT NULL`, 0)
      assert.include(yield* (yield* Sender).shortage, "too many open files")
      assert.include(
        said.find((line) => line.includes("do not count")),
        "this machine has too many open files"
      )
    }).pipe(
      Effect.scoped,
      Effect.provide(deliveringLayer()),
      Effect.provideService(DeliverLimits, { ...deliverLimits, lackPauseMs: 50 }),
      Effect.provideService(Resolver, async () => {
        asked++
        if (isShort) throw errorWith({ code: "EMFILE", syscall: "open" })
        return { addresses: [{ address: "127.0.0.1", family: 4 }], ttlMs: 0 }
      }),
      Effect.provide(Logger.layer([Logger.make(({ message }) => void said.push(String(message)))]))
    )
  })
})
