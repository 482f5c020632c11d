/**
 * Damaged transactions: one part of each has a value that no ledger holds. If an event is lost or changed, there is an
 * alert, and every event that is emitted matches its schema.
 */
import { assert, describe, it } from "@effect/vitest"
import { makeChain } from "../../../src/features/simulator/Chain.ts"
import { detectLedger } from "../../../src/spine/detect/Detect.ts"
import type { Json, Ledger } from "../../../src/spine/event/Ledger.ts"
import type { Detection } from "../../../src/spine/event/LedgerEvent.ts"
import { isJsonObject, normaliseLedger } from "../../../src/spine/event/NormaliseLedger.ts"
import { complaints, payloadPath } from "../../schemas/support.ts"
import { ledgerResult } from "../../support/ledger/ledgerAnswers.ts"
import {
  alice,
  bob,
  carol,
  created,
  deleted,
  detect,
  key,
  modified,
  names,
  token,
  transaction,
  usd
} from "./support.ts"

/** One transaction of the simulated ledger for each type and set of events, in a ledger of its own. */
const samples = (): ReadonlyArray<Ledger> => {
  const chain = makeChain({
    seed: 19,
    firstLedgerIndex: 1_000_000,
    firstCloseTime: 830_000_000,
    transactionsPerLedger: 40,
    hashing: "digest"
  })
  const found = new Map<string, Ledger>()
  for (let i = 1; i <= 60; i++) {
    const result = ledgerResult(chain.close(830_000_000 + i * 4), {
      version: 2,
      transactions: true,
      expand: true
    })
    const { ledger } = normaliseLedger(JSON.parse(JSON.stringify(result)))!
    for (const one of ledger.transactions) {
      const alone = { ...ledger, transactions: [one] }
      const events = detectLedger(alone).events.map(({ event_type }) => event_type)
      if (events.length > 0) found.set([one.tx["TransactionType"], ...new Set(events)].join(" "), alone)
    }
  }
  return [...found.values()]
}

/** No ledger holds one of these in a field that an event is made of. */
const wrongs: ReadonlyArray<Json> = [
  null,
  true,
  -1,
  1.5,
  2 ** 53,
  "<script>",
  "\u0000",
  "é",
  ["x"],
  { x: "y" }
]

/** Replacing an object or a list with another one is no damage: it only makes another entry. */
const isOfTheSameKind = (a: Json, b: Json): boolean =>
  a === b || (Array.isArray(a) && Array.isArray(b)) || (isJsonObject(a) && isJsonObject(b))

const entry = [
  "Account",
  "Balance",
  "HighLimit",
  "LowLimit",
  "NFTokenID",
  "Owner",
  "SendMax",
  "Sequence",
  "SignerEntries",
  "SignerQuorum",
  "TakerGets",
  "TakerPays"
]
const amount = ["currency", "issuer", "value"]

/** Fields that no ledger leaves out, by the object that holds them. An event that does not need one stays as it is. */
const required: Readonly<Record<string, ReadonlyArray<string>>> = {
  tx: ["Account", "Destination", "NFTokenID", "TransactionType"],
  meta: ["AffectedNodes", "TransactionResult"],
  CreatedNode: ["LedgerEntryType", "LedgerIndex", "NewFields"],
  ModifiedNode: ["LedgerEntryType", "LedgerIndex"],
  DeletedNode: ["FinalFields", "LedgerEntryType", "LedgerIndex"],
  // New leaves out 0 drops.
  NewFields: entry.filter((name) => !["Balance", "TakerGets", "TakerPays"].includes(name)),
  FinalFields: entry,
  SignerEntry: ["Account", "SignerWeight"],
  Balance: amount,
  HighLimit: amount,
  LowLimit: amount,
  TakerGets: amount,
  TakerPays: amount
}

interface Mutant {
  readonly what: string
  readonly copy: Json
}

/** Every copy of `value` in which one part, at any depth, is wrong or missing. */
const mutants = function* (value: Json, holder: string): Generator<Mutant> {
  for (const wrong of wrongs)
    if (!isOfTheSameKind(value, wrong)) yield { what: `is ${JSON.stringify(wrong)}`, copy: wrong }
  if (Array.isArray(value)) {
    for (const [i, part] of value.entries())
      for (const { copy, what } of mutants(part, holder))
        yield { what: `[${i}]${what}`, copy: value.with(i, copy) }
  } else if (isJsonObject(value)) {
    for (const [name, part] of Object.entries(value)) {
      const { [name]: _, ...without } = value
      if (required[holder]?.includes(name) === true) yield { what: `${name} is gone`, copy: without }
      for (const { copy, what } of mutants(part, name))
        yield { what: `${name}.${what}`, copy: { ...value, [name]: copy } }
    }
  }
}

/** What is damaged may leave out the changes of balances, with or without an alert, but never change them. */
const booked = ({ events }: Detection) =>
  new Map(
    events.map(({ balance_changes, payload }) => [JSON.stringify(payload), JSON.stringify(balance_changes)])
  )

const withoutBooking = ({ events }: Detection): string =>
  JSON.stringify(events.map(({ balance_changes, ...event }) => event))

describe("thousands of damaged transactions", () => {
  const ledgers = samples()

  it("lose or change no event without an alert, and give no event that breaks its schema", () => {
    let count = 0
    let differing = 0
    const silent: Array<string> = []
    for (const ledger of ledgers) {
      const { hash, tx, meta } = ledger.transactions[0]!
      const sound = detectLedger(ledger)
      const [expected, expectedChanges] = [withoutBooking(sound), booked(sound)]
      const parts = [
        ...[...mutants(tx, "tx")].map(({ copy, what }) => ({ what: `tx.${what}`, tx: copy, meta })),
        ...[...mutants(meta, "meta")].map(({ copy, what }) => ({ what: `meta.${what}`, tx, meta: copy }))
      ]
      for (const mutant of parts) {
        if (!isJsonObject(mutant.tx) || !isJsonObject(mutant.meta)) continue
        const found = detectLedger({
          ...ledger,
          transactions: [{ hash, tx: mutant.tx, meta: mutant.meta }]
        })
        const { alerts, events } = found
        for (const [payload, changes] of booked(found))
          if (changes !== undefined && changes !== (expectedChanges.get(payload) ?? changes))
            silent.push(`${mutant.what} changes balances`)
        count++
        if (withoutBooking(found) === expected) continue
        differing++
        if (alerts.length === 0) silent.push(`${tx["TransactionType"]} ${mutant.what}`)
        for (const { event_type, payload } of events)
          assert.deepStrictEqual(complaints(payloadPath(event_type), payload), [], mutant.what)
      }
    }
    assert.deepStrictEqual(silent, [])
    assert.isAbove(count, 2_000)
    assert.isAbove(differing, 500)
  })
})

describe("an event is withheld with an alert, and the others are emitted, if", () => {
  const healthy = created("AccountRoot", key(99), { Account: carol, Balance: "5" })
  const offer = { Account: bob, Sequence: 4, TakerGets: "5", TakerPays: usd("6") }
  const check = { Account: alice, Destination: bob, SendMax: "5", Sequence: 3 }
  const line = {
    Balance: token("1", "rrrrrrrrrrrrrrrrrrrrBZbvji"),
    LowLimit: token("5", alice),
    HighLimit: token("0", bob)
  }
  const cases: ReadonlyArray<readonly [string, Json]> = [
    ["a node is no object", { DeletedNode: "Offer" }],
    ["an entry of AffectedNodes is no object", null],
    ["an entry is no node", { RemovedNode: {} }],
    ["a node has no LedgerEntryType", { CreatedNode: { LedgerIndex: key(1), NewFields: offer } }],
    ["a node has no LedgerIndex", { CreatedNode: { LedgerEntryType: "Offer", NewFields: offer } }],
    ["the changes of a node are no object", modified("Offer", key(1), offer, [] as never)],
    ["a check has no SendMax", created("Check", key(1), { Account: alice, Destination: bob, Sequence: 3 })],
    ["an escrow has no Amount", created("Escrow", key(1), { Account: alice, Destination: bob })],
    ["an address is markup", created("Check", key(1), { ...check, Destination: "<script>" })],
    [
      "an address has a wrong checksum",
      created("Check", key(1), { ...check, Destination: `${bob.slice(0, -2)}rr` })
    ],
    ["a text holds a NUL", created("Check", key(1), { ...check, Account: `${alice}\u0000` })],
    [
      "a currency is malformed",
      created("RippleState", key(1), { ...line, Balance: token("1", alice, "US$\n") })
    ],
    ["a limit is no number", created("RippleState", key(1), { ...line, LowLimit: token("lots", alice) })],
    ["a sequence is negative", created("Offer", key(1), { ...offer, Sequence: -1 })],
    ["a sequence is missing", deleted("Offer", key(1), { ...offer, Sequence: undefined as never })],
    ["a tag is text", created("Check", key(1), { ...check, DestinationTag: "7" })],
    ["a time is beyond 32 bits", created("Offer", key(1), { ...offer, Expiration: 2 ** 32 })],
    ["the former amount is of another asset", modified("Offer", key(1), offer, { TakerGets: usd("9") })]
  ]
  it.each(cases)("%s", (_, node) => {
    const found = detect(transaction({ TransactionType: "TicketCreate" }, [node, healthy]))
    assert.deepStrictEqual(names(found), ["account.created"])
    assert.strictEqual(found.alerts.length, 1)
  })

  const unreadable: ReadonlyArray<readonly [string, ReturnType<typeof transaction>]> = [
    [
      "no TransactionResult",
      transaction({ TransactionType: "Payment" }, [healthy], { TransactionResult: null })
    ],
    [
      "an impossible result",
      transaction({ TransactionType: "Payment" }, [healthy], { TransactionResult: "ok" })
    ],
    ["a type that is no name", transaction({ TransactionType: "Pay\u001b[2J" }, [healthy])],
    ["no account", transaction({ TransactionType: "Payment", Account: null }, [healthy])],
    ["a delegate that is no account", transaction({ TransactionType: "Payment", Delegate: "x" }, [healthy])]
  ]
  it.each(unreadable)("a whole transaction is withheld if it has %s", (_, whole) => {
    const found = detect(whole)
    assert.deepStrictEqual(names(found), [])
    assert.strictEqual(found.alerts.length, 1)
    assert.match(found.alerts[0]!.reason, /^The transaction could not be read: [ -~]+\.$/)
  })
})
