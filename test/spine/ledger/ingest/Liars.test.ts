/**
 * One honest server beside two that lie, over real sockets on the virtual clock: ingest continues with the honest one,
 * takes nothing false, and the health does not say "ok" while it stands still.
 */

import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { ledgerLimits } from "../../../../src/spine/ledger/Limits.ts"
import { Health, ledgerPart } from "../../../../src/spine/observe/Health.ts"
import { monotonicNow } from "../../../../src/spine/words/Monotonic.ts"
import { chain, hashOf } from "../../../support/ledger/chain.ts"
import {
  eventuallyAdvancing,
  ingesting,
  markers,
  memoryLayer,
  takenIndexes
} from "../../../support/ledger/ingesting.ts"
import {
  type Answer,
  type Interference,
  type RippledServer,
  rippledServer
} from "../../../support/ledger/rippledServer.ts"
import { makeSimulatedLedger } from "../../../support/ledger/simulatedLedger.ts"

/** The last ledger before the lies, the last that must be taken, and the last of the network. */
const TRUE = 10
const ENOUGH = 16
const LAST = 60
const CLOSE_MS = 4_000
/** Each liar may let one request time out. */
const CONTINUES_WITHIN_MS = 2 * ledgerLimits.ledgerAnswerMs + 5_000
const FAR = 4_000_000_000

interface Lie {
  /** Is called when the network closes a ledger. */
  readonly at: (server: RippledServer, index: number) => void
  /** Changes the answers to requests for ledgers after `TRUE`. */
  readonly answer?: (answer: Answer) => ReturnType<Interference>
}

const say = (server: RippledServer, index: number, hash = hashOf(`lie ${index}`)) =>
  server.send(JSON.stringify({ type: "ledgerClosed", ledger_index: index, ledger_hash: hash, txn_count: 9 }))
const announceFalse = (server: RippledServer, index: number) => say(server, index)
const announceTrue = (server: RippledServer, index: number) => server.close(index)

const withLedger = (answer: Answer, change: object): Answer => ({
  ...answer,
  // The cast is safe: `rippledServer` answers `ledger` in this form.
  result: { ...answer.result, ledger: { ...(answer.result?.["ledger"] as object | undefined), ...change } }
})

const lies: Readonly<Record<string, Lie>> = {
  "announces false hashes": { at: announceFalse },
  "announces false hashes and does not answer": { at: announceFalse, answer: () => "silence" },
  "announces false hashes and hangs up": { at: announceFalse, answer: () => "drop" },
  "announces false hashes and sends the true ledger": {
    at: (server, index) => {
      server.close(index, { announce: false })
      say(server, index)
    }
  },
  "announces and sends another chain": {
    at: (server, index) => {
      server.serve(chain(TRUE + 1, LAST, { name: "fork" }))
      server.close(index)
    }
  },
  "announces true hashes and sends another ledger": {
    at: announceTrue,
    answer: (answer) => withLedger(answer, { ledger_hash: hashOf("other") })
  },
  "announces true hashes and leaves out transactions": {
    at: announceTrue,
    answer: (answer) => withLedger(answer, { transactions: [] })
  },
  "announces true hashes and another parent": {
    at: announceTrue,
    answer: (answer) => withLedger(answer, { parent_hash: hashOf("other") })
  },
  "announces ledgers of the future": {
    at: (server, index) => {
      say(server, index + 3)
      say(server, FAR + index)
    }
  },
  "dies after a false announcement": {
    at: (server, index) => {
      say(server, index)
      server.refuse(1_000, 502)
      server.drop()
    }
  }
}

const names = Object.keys(lies)
const pairs = names.flatMap((one, i) => names.slice(i).map((two, j) => [one, two, (i + j) % 3] as const))
const equalPairs = names.flatMap((name) => [1, 2].map((shift) => [name, name, shift] as const))

const liar = Effect.fnUntraced(function* (lie: Lie) {
  const server = yield* rippledServer({
    networkId: 0,
    interfere: (request, answer) =>
      Number(/^ledger (\d+)$/.exec(request)?.[1] ?? 0) > TRUE ? (lie.answer?.(answer) ?? answer) : answer
  })
  server.serve(chain(1, LAST))
  server.close(TRUE)
  return server
})

const run = Effect.fnUntraced(function* (one: Lie, two: Lie, place: number) {
  const honest = yield* liar({ at: announceTrue })
  const liars = [yield* liar(one), yield* liar(two)] as const
  const urls = liars.map(({ url }) => url)
  urls.splice(place, 0, honest.url)
  const health = yield* Health
  yield* ingesting(urls, { start: TRUE })
  const taken = Effect.map(takenIndexes, ({ length }) => length)
  yield* eventuallyAdvancing(Effect.map(taken, (count) => count === 1))
  const began = yield* monotonicNow
  let closed = TRUE
  let movedAt = began
  let before = 1
  let longestMs = 0
  yield* eventuallyAdvancing(
    Effect.gen(function* () {
      const now = yield* monotonicNow
      if (closed < LAST && now - began >= (closed - TRUE) * CLOSE_MS) {
        closed += 1
        one.at(liars[0], closed)
        honest.close(closed)
        two.at(liars[1], closed)
      }
      const count = yield* taken
      if (count > before || closed - TRUE + 1 === count) movedAt = now
      before = count
      longestMs = Math.max(longestMs, now - movedAt)
      const state = yield* health.get(ledgerPart("mainnet"))
      if (now - movedAt > ledgerLimits.ledgerStandingMs + 2 * CLOSE_MS)
        assert.notStrictEqual(state?.status, "ok", state?.detail)
      return count > ENOUGH - TRUE
    }),
    250
  )
  assert.isAtMost(longestMs, CONTINUES_WITHIN_MS)
  const last = TRUE + (yield* taken) - 1
  assert.deepStrictEqual(
    (yield* markers).map(({ ledger_hash, transaction_count }) => [ledger_hash, transaction_count]),
    chain(TRUE, last).map(({ ledger_hash, transactions }) => [ledger_hash, transactions.length])
  )
})

describe("an honest server beside two liars", () => {
  it.effect.each([...pairs, ...equalPairs])(
    "is the one whose ledgers are taken: one %s, one %s; the honest one has place %i",
    ([one, two, place]) => run(lies[one]!, lies[two]!, place).pipe(Effect.provide(memoryLayer()))
  )
})

describe("a false count of a true hash", () => {
  it.effect("is disproved with the ledger's bytes, if the honest server announced no count", () =>
    Effect.gen(function* () {
      const options = { seed: 1, networkId: 0, transactionsPerLedger: 5, firstLedgerIndex: 1_000 }
      const honest = yield* makeSimulatedLedger(options)
      const counting = yield* rippledServer()
      yield* ingesting([counting.url, honest.url], { start: 1_000 })
      yield* eventuallyAdvancing(Effect.map(takenIndexes, ({ length }) => length === 1))
      // The honest server announces only the last of these.
      const missed = yield* honest.closeSilently
      say(counting, missed.header.ledger_index, missed.header.ledger_hash)
      yield* honest.close
      yield* eventuallyAdvancing(Effect.map(takenIndexes, ({ length }) => length === 3))
      assert.deepStrictEqual(
        (yield* markers).map(({ transaction_count }) => transaction_count),
        [0, 5, 5]
      )
    }).pipe(Effect.provide(memoryLayer()))
  )
})

describe("the first ledger", () => {
  it.effect("is one that a server can send, if another announces a ledger of the future", () =>
    Effect.gen(function* () {
      const far = yield* rippledServer()
      far.serve(chain(FAR, FAR, { name: "nothing" }))
      far.close(FAR)
      far.misbehave(`ledger ${FAR}`, 1_000, () => ({ error: "lgrNotFound" }))
      const honest = yield* liar({ at: announceTrue })
      yield* ingesting([far.url, honest.url])
      yield* eventuallyAdvancing(Effect.map(takenIndexes, ({ length }) => length === 1))
      assert.deepStrictEqual(yield* takenIndexes, [TRUE])
      assert.isBelow(yield* monotonicNow, 10_000)
    }).pipe(Effect.provide(memoryLayer()))
  )
})
