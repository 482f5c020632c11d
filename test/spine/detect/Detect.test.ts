/** Order, ids and robustness of a whole ledger's detection (docs/detection-rules.md 1). */
import { assert, describe, it } from "@effect/vitest"
import { detectLedger } from "../../../src/spine/detect/Detect.ts"
import type { Json, LedgerTransaction } from "../../../src/spine/event/Ledger.ts"
import type { Detection } from "../../../src/spine/event/LedgerEvent.ts"
import { isJsonObject, normaliseLedger } from "../../../src/spine/event/NormaliseLedger.ts"
import {
  alice,
  balance,
  bob,
  carol,
  created,
  dave,
  deleted,
  detect,
  eventNamed,
  hashNamed,
  issuer,
  key,
  ledgerOf,
  modified,
  names,
  token,
  transaction,
  usd
} from "./support.ts"

const neutral = "rrrrrrrrrrrrrrrrrrrrBZbvji"
const line = (holder: string) => ({
  Balance: token("1", neutral),
  Flags: 0x1_0000,
  LowLimit: token("5", holder),
  HighLimit: token("0", issuer)
})
const offer = (maker: string, gets: string, pays: string) => ({
  Account: maker,
  Sequence: 4,
  TakerGets: gets,
  TakerPays: usd(pays)
})

/** A ledger with events of every family, in execution order. */
const everything: ReadonlyArray<LedgerTransaction> = [
  transaction({ TransactionType: "Payment", Destination: bob, Amount: usd("5"), Delegate: dave }, [
    balance(alice, "9", "8"),
    created("AccountRoot", key(1), { Account: bob, Balance: "5" }),
    created("RippleState", key(2), line(bob)),
    modified("RippleState", key(3), line(carol), { LowLimit: token("6", carol), Flags: 0x41_0000 }),
    deleted("RippleState", key(4), line(dave), { LowLimit: token("6", dave) }),
    created("Offer", key(5), offer(alice, "5", "6")),
    modified("Offer", key(6), offer(carol, "5", "6"), { TakerGets: "7", TakerPays: usd("8.5") }),
    deleted("Offer", key(7), offer(dave, "5", "6"), { TakerGets: "7" }),
    deleted("Offer", key(8), offer(dave, "0", "0"), { TakerGets: "7", TakerPays: usd("1") }),
    deleted("AccountRoot", key(9), { Account: dave, AMMID: key(1) }),
    created("Escrow", key(10), { Account: alice, Destination: bob, Amount: "5" }),
    created("Check", key(11), { Account: alice, Destination: bob, SendMax: "5", Sequence: 3 }),
    created("NFTokenOffer", key(12), { Owner: alice, NFTokenID: hashNamed("nft"), Amount: "1" }),
    deleted("NFTokenOffer", key(13), { Owner: carol, NFTokenID: hashNamed("nft"), Amount: "1", Flags: 1 })
  ]),
  transaction(
    { TransactionType: "NFTokenMint", NFTokenTaxon: 1 },
    [modified("AccountRoot", key(1), { Account: alice, MintedNFTokens: 1 })],
    { TransactionIndex: 1 },
    hashNamed("mint")
  ),
  transaction(
    { TransactionType: "SignerListSet" },
    [
      created("SignerList", key(1), {
        SignerQuorum: 1,
        SignerEntries: [{ SignerEntry: { Account: bob, SignerWeight: 1 } }]
      })
    ],
    { TransactionIndex: 2 },
    hashNamed("signers")
  )
]

const bytes = ({ events }: Detection): string => JSON.stringify(events)

describe("the order of events", () => {
  it("follows the rank of the type, then the id of the node", () => {
    const found = detectLedger(ledgerOf(everything))
    assert.deepStrictEqual(found.alerts, [])
    assert.deepStrictEqual(names(found), [
      "account.created",
      "trustline.created",
      "trustline.modified",
      "trustline.deleted",
      "nft.offer_created",
      "nft.offer_cancelled",
      "escrow.created",
      "check.created",
      "dex.offer_partial:0",
      "dex.offer_partial:1",
      "dex.offer_filled",
      "dex.offer_cancelled",
      "dex.offer_created",
      "payment.issued",
      "account.deleted",
      "nft.minted",
      "account.settings_changed"
    ])
  })

  it("and every byte stay the same if transactions and nodes are shuffled", () => {
    const expected = bytes(detectLedger(ledgerOf(everything)))
    const turned = everything.map(({ hash, tx, meta }) => {
      // Every transaction of this file has a list of nodes.
      const nodes = meta["AffectedNodes"] as ReadonlyArray<Json>
      return (by: number) => ({
        hash,
        tx,
        meta: { ...meta, AffectedNodes: [...nodes.slice(by), ...nodes.slice(0, by)].toReversed() }
      })
    })
    for (let by = 0; by < 14; by++)
      assert.strictEqual(bytes(detectLedger(ledgerOf(turned.map((turn) => turn(by)).toReversed()))), expected)
  })

  it("gives unique ids, the same in every run", () => {
    const first = detectLedger(ledgerOf(everything))
    assert.strictEqual(new Set(first.events.map(({ event_id }) => event_id)).size, first.events.length)
    assert.strictEqual(bytes(detectLedger(ledgerOf(everything))), bytes(first))
  })

  it("and every byte are the same from versions 1 and 2 of the API", () => {
    const header = { ledger_hash: key(1), parent_hash: key(2), close_time: 800_000_000, parent_close_time: 5 }
    const v2 = {
      ledger_hash: key(1),
      ledger_index: 90_000_000,
      validated: true,
      ledger: {
        ...header,
        ledger_index: 90_000_000,
        transactions: everything.map(({ hash, tx, meta }) => ({
          tx_json: tx,
          hash,
          meta,
          close_time_iso: "2025-05-08T06:13:20Z"
        }))
      }
    }
    const v1 = {
      ...header,
      ledger_index: "90000000",
      transactions: everything.map(({ hash, tx, meta }) => ({
        ...tx,
        hash: hash.toLowerCase(),
        metaData: meta
      }))
    }
    const [one, two] = [normaliseLedger(v1), normaliseLedger({ result: v2 })]
    assert.isDefined(one)
    assert.isDefined(two)
    assert.strictEqual(bytes(detectLedger(one.ledger)), bytes(detectLedger(two.ledger)))
    assert.strictEqual(detectLedger(one.ledger).events.length, 17)
  })

  it("does not need a close time: an unknown or impossible one gives a null timestamp", () => {
    const tx = transaction({ TransactionType: "Payment", Destination: bob, Amount: "1" })
    assert.isNull(eventNamed(detect(tx, { close_time: undefined }), "payment.xrp").timestamp)
    assert.isNull(eventNamed(detect(tx, { close_time: Number.MAX_SAFE_INTEGER }), "payment.xrp").timestamp)
  })

  it("does not need the parent's close time: if it is unknown, nothing has expired", () => {
    const stale = deleted("Offer", key(1), { ...offer(bob, "5", "6"), Expiration: 5 })
    const reason = (parent_close_time: number | undefined) =>
      eventNamed(
        detect(transaction({ TransactionType: "OfferCreate" }, [stale]), { parent_close_time }),
        "dex.offer_cancelled"
      ).payload["reason"]
    assert.deepStrictEqual([undefined, 5].map(reason), ["unfunded", "expired"])
  })
})

describe("damaged input", () => {
  const healthy = transaction(
    { TransactionType: "Payment", Destination: bob, Amount: "1" },
    [],
    { TransactionIndex: 9 },
    hashNamed("healthy")
  )
  const wrongs: ReadonlyArray<Json> = [null, {}, [], "", "x", -1, 1e300, true, [null], { value: "1e99999" }]

  /** Every copy of `value` in which one part, at any depth, is replaced by `wrong`. */
  const damaged = function* (value: Json, wrong: Json): Generator<Json> {
    yield wrong
    if (Array.isArray(value)) {
      for (const [i, part] of value.entries())
        for (const copy of damaged(part, wrong)) yield value.with(i, copy)
    } else if (isJsonObject(value)) {
      for (const [name, part] of Object.entries(value))
        for (const copy of damaged(part, wrong)) yield { ...value, [name]: copy }
    }
  }

  it("never makes detection throw, and never withholds an event of another transaction", () => {
    let copies = 0
    for (const { hash, tx, meta } of everything)
      for (const wrong of wrongs)
        for (const copy of damaged({ tx, meta }, wrong)) {
          if (!isJsonObject(copy) || !isJsonObject(copy["tx"]) || !isJsonObject(copy["meta"])) continue
          const found = detectLedger(ledgerOf([{ hash, tx: copy["tx"], meta: copy["meta"] }, healthy]))
          assert.isTrue(found.events.some(({ payload }) => payload["tx_hash"] === healthy.hash))
          copies++
        }
    assert.isAbove(copies, 2000)
  })

  it("withholds only the event that needs the damaged part, with an alert", () => {
    const { Account: _, ...without } = offer(bob, "5", "6")
    const nodes = [
      created("Offer", key(1), without),
      created("Offer", key(2), offer(carol, "5", "6")),
      created("Offer", "not a key", offer(dave, "5", "6"))
    ]
    const found = detect(transaction({ TransactionType: "OfferCreate" }, nodes))
    assert.deepStrictEqual(
      found.events.map(({ payload }) => payload["account"]),
      [carol]
    )
    assert.deepStrictEqual(
      found.alerts.map(({ reason }) => reason),
      [
        `Offer ${key(1)} could not be read: Account is missing.`,
        "Offer could not be read: its LedgerIndex is not 64 hex digits."
      ]
    )
  })
})
