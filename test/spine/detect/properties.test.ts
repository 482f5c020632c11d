/**
 * What users may rely on, over a simulated chain in which objects of every kind end, and over the real ledgers of the
 * corpus where they are there: ids are unique, the order of the source changes nothing, each object has one beginning and
 * one ending, and what was placed less what was filled is what remains.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { asLedger, makeChain } from "../../../src/features/simulator/Chain.ts"
import { makeSeededRandom, type SeededRandom } from "../../../src/features/simulator/SeededRandom.ts"
import { scaled } from "../../../src/spine/detect/Amounts.ts"
import { detectLedger } from "../../../src/spine/detect/Detect.ts"
import type { EventType } from "../../../src/spine/event/EventType.ts"
import type { Json, JsonObject, Ledger } from "../../../src/spine/event/Ledger.ts"
import type { DetectedEvent } from "../../../src/spine/event/LedgerEvent.ts"
import { ledgerOfTransaction, normaliseLedger } from "../../../src/spine/event/NormaliseLedger.ts"
import { corpusFiles, corpusFolder, corpusPresent } from "../../support/ledger/corpusLedgers.ts"

const LEDGERS = 300

const simulated = (): ReadonlyArray<Ledger> => {
  const chain = makeChain({
    seed: 43,
    firstLedgerIndex: 1_000,
    transactionsPerLedger: 20,
    hashing: "digest",
    firstCloseTime: 800_000_000
  })
  return Array.from({ length: LEDGERS }, (_, i) => asLedger(chain.close(800_000_004 + 4 * i)))
}

const recorded = (): ReadonlyArray<Ledger> =>
  corpusFiles()
    .map((file) => JSON.parse(readFileSync(join(corpusFolder, file), "utf8")))
    .map((raw) => normaliseLedger(raw)?.ledger ?? ledgerOfTransaction(raw)!)
    .toSorted((a, b) => a.ledger_index - b.ledger_index)

// Every transaction of both has this list.
const nodesOf = (meta: JsonObject) => meta["AffectedNodes"] as ReadonlyArray<JsonObject>

const shuffle = (ledger: Ledger, random: SeededRandom): Ledger => ({
  ...ledger,
  transactions: random.shuffle(ledger.transactions).map((one) => ({
    ...one,
    meta: { ...one.meta, AffectedNodes: random.shuffle(nodesOf(one.meta)) }
  }))
})

const beginnings = {
  "account.created": ["account"],
  "check.created": ["check_id"],
  "dex.offer_created": ["offer_id"],
  "escrow.created": ["escrow_id"],
  "nft.offer_created": ["offer_id"],
  "trustline.created": ["trustline_id"]
} satisfies Partial<Record<EventType, ReadonlyArray<string>>>

const endings = {
  "account.deleted": ["account"],
  "check.cancelled": ["check_id"],
  "check.cashed": ["check_id"],
  "dex.offer_cancelled": ["offer_id"],
  "dex.offer_filled": ["offer_id"],
  "escrow.cancelled": ["escrow_id"],
  "escrow.finished": ["escrow_id"],
  "nft.offer_accepted": ["sell_offer_id", "buy_offer_id"],
  "nft.offer_cancelled": ["offer_id"],
  "trustline.deleted": ["trustline_id"]
} satisfies Partial<Record<EventType, ReadonlyArray<string>>>

type Fields = Readonly<Partial<Record<EventType, ReadonlyArray<string>>>>

/** The objects that an event begins or ends; a sale may end two. */
const named = (fields: Fields, { event_type, payload }: DetectedEvent): ReadonlyArray<Json> =>
  (fields[event_type] ?? []).flatMap((name) => payload[name] ?? [])

const followed = new Set(["AccountRoot", "Check", "Escrow", "NFTokenOffer", "Offer", "RippleState"])

/** The objects that a transaction's nodes begin or end, as events name them. */
const entries = (meta: JsonObject, kind: "CreatedNode" | "DeletedNode"): ReadonlyArray<Json> =>
  nodesOf(meta).flatMap((wrapped) => {
    const node = wrapped[kind] as JsonObject | undefined
    if (node === undefined || !followed.has(String(node["LedgerEntryType"]))) return []
    const fields = (node["NewFields"] ?? node["FinalFields"]) as JsonObject
    return [node["LedgerEntryType"] === "AccountRoot" ? fields["Account"]! : node["LedgerIndex"]!]
  })

const amountOf = (amount: Json | undefined): bigint =>
  scaled(String(typeof amount === "object" ? (amount as JsonObject)["value"] : amount))

/** Checks, for one side of each offer that was placed in the run, that placed − filled is what remains. Returns how many. */
const checkSums = (events: ReadonlyArray<DetectedEvent>, side: "taker_gets" | "taker_pays"): number => {
  const remaining = new Map<Json, bigint>()
  let compared = 0
  for (const { event_id, event_type, payload } of events) {
    const offer = payload["offer_id"] ?? ""
    if (event_type === "dex.offer_created") remaining.set(offer, amountOf(payload[side]))
    const left = remaining.get(offer)
    if (left === undefined) continue
    if (event_type === "dex.offer_partial" || event_type === "dex.offer_filled") {
      assert.strictEqual(
        left - amountOf(payload[`filled_${side}`]),
        amountOf(payload[`remaining_${side}`]),
        event_id
      )
      remaining.set(offer, amountOf(payload[`remaining_${side}`]))
      compared++
    } else if (event_type === "dex.offer_cancelled") {
      assert.strictEqual(left, amountOf(payload[side]), event_id)
      compared++
    }
  }
  return compared
}

const sources = [
  {
    name: "a simulated chain",
    ledgers: simulated,
    present: true,
    whole: true,
    least: { ended: 1_000, compared: 500 }
  },
  // Between recorded ledgers are others that nobody recorded.
  {
    name: "real ledgers",
    ledgers: recorded,
    present: corpusPresent,
    whole: false,
    least: { ended: 1_000, compared: 10 }
  }
]

for (const { ledgers: read, least, name, present, whole } of sources)
  describe.skipIf(!present)(`${name}${present ? "" : " (skipped without ../shared/xrpl-corpus)"}`, () => {
    const ledgers = present ? read() : []
    const found = ledgers.map((ledger) => ({ ledger, ...detectLedger(ledger) }))
    const events = found.flatMap((one) => one.events)

    it("gives no id twice", () => {
      const ids = events.map(({ event_id }) => event_id)
      assert.strictEqual(new Set(ids).size, ids.length)
    })

    it("gives the same bytes from shuffled transactions and nodes", () => {
      const random = makeSeededRandom(43)
      for (const { alerts, events, ledger } of found)
        assert.strictEqual(
          JSON.stringify(detectLedger(shuffle(ledger, random))),
          JSON.stringify({ events, alerts }),
          `ledger ${ledger.ledger_index}`
        )
    })

    it("gives each object one beginning when it is created, and one ending when it is deleted", () => {
      let ended = 0
      for (const { events, ledger } of found)
        for (const { hash, meta } of ledger.transactions) {
          const own = events.filter(({ event_id }) => event_id.includes(hash))
          for (const [fields, kind] of [
            [beginnings, "CreatedNode"],
            [endings, "DeletedNode"]
          ] as const) {
            const objects = own.flatMap((event) => named(fields, event))
            assert.deepStrictEqual(objects.toSorted(), entries(meta, kind).toSorted(), `${kind}s of ${hash}`)
            if (kind === "DeletedNode") ended += objects.length
          }
        }
      assert.isAtLeast(ended, least.ended)
    })

    it("lets nothing end twice without a new beginning", () => {
      const open = new Map<Json, boolean>()
      for (const event of events) {
        for (const object of named(endings, event)) {
          assert.notStrictEqual(open.get(object), false, event.event_id)
          open.set(object, false)
        }
        for (const object of named(beginnings, event)) {
          assert.notStrictEqual(open.get(object), true, event.event_id)
          open.set(object, true)
        }
      }
    })

    it.each(["taker_gets", "taker_pays"] as const)("fills an offer until what remains: %s", (side) => {
      const runs = whole ? [events] : found.map((one) => one.events)
      const compared = runs.reduce((sum, run) => sum + checkSums(run, side), 0)
      assert.isAtLeast(compared, least.compared)
    })
  })
