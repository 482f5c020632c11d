/** What an event has beside its payload: the transaction's memos, and the changes of its accounts' balances. */
import { assert, describe, it } from "@effect/vitest"
import type { Json, JsonObject } from "../../../src/spine/event/Ledger.ts"
import type { BalanceChange } from "../../../src/spine/event/LedgerEvent.ts"
import {
  accountIdOf,
  alice,
  balance,
  bob,
  carol,
  created,
  deleted,
  detect,
  eventNamed,
  issuer,
  key,
  modified,
  transaction,
  usd
} from "./support.ts"

const paid: JsonObject = { TransactionType: "Payment", Destination: bob, Amount: "5" }

const memosOf = (memos: Json) => {
  const event = eventNamed(detect(transaction({ ...paid, Memos: memos })), "payment.xrp")
  return { memos: event.memos, truncated: event.memos_truncated }
}

const memo = (fields: JsonObject): JsonObject => ({ Memo: fields })
const bytes = (count: number): string => "C0".repeat(count)

describe("memos", () => {
  it("are those of the transaction, in its order, in hex", () => {
    assert.deepStrictEqual(memosOf([memo({ MemoData: "c0", MemoType: "01" }), memo({ MemoFormat: "02" })]), {
      memos: [{ type: "01", data: "c0" }, { format: "02" }],
      truncated: undefined
    })
  })

  it("are whole, up to 1,024 bytes in all", () => {
    const half = memo({ MemoType: bytes(12), MemoData: bytes(500) })
    assert.lengthOf(memosOf([half, half]).memos ?? [], 2)
    assert.isUndefined(memosOf([half, half]).truncated)
    const { memos, truncated } = memosOf([half, half, memo({ MemoData: "01" }), half])
    assert.lengthOf(memos ?? [], 2)
    assert.isTrue(truncated)
    assert.deepStrictEqual(memosOf([memo({ MemoData: bytes(1_025) }), half]), {
      memos: undefined,
      truncated: true
    })
  })

  it("are absent if there are none, if they are empty, or if one of them cannot be read", () => {
    const absent = { memos: undefined, truncated: undefined }
    for (const none of [[], [memo({})], [memo({ MemoData: "" })], "C0", {}, [[]], [{ Memo: "C0" }], [null]])
      assert.deepStrictEqual(memosOf(none), absent, JSON.stringify(none))
    assert.deepStrictEqual(memosOf([memo({ MemoData: "01" }), memo({ MemoData: "text" })]), absent)
  })
})

/** The changes of the event's accounts in one line each. */
const changesOf = (tx: JsonObject, nodes: ReadonlyArray<Json>, name: string) =>
  eventNamed(detect(transaction(tx, nodes)), name).balance_changes

const line = (id: number, low: string, high: string, after: string, before?: string): JsonObject => {
  const side = (account: string) => ({ currency: "USD", issuer: account, value: "0" })
  const fields = {
    Balance: { currency: "USD", issuer: "rrrrrrrrrrrrrrrrrrrrBZbvji", value: after },
    LowLimit: side(low),
    HighLimit: side(high),
    Flags: 0
  }
  return before === undefined
    ? created("RippleState", key(id), fields)
    : modified("RippleState", key(id), fields, { Balance: { ...fields.Balance, value: before } })
}

const inUsd = (account: string, counterparty: string, change: string): BalanceChange => ({
  account,
  asset: { currency: "USD", issuer: counterparty },
  change
})
const inXrp = (account: string, change: string): BalanceChange => ({ account, asset: "XRP", change })

const paidUsd: JsonObject = { TransactionType: "Payment", Destination: bob, Amount: usd("1.5") }

describe("balance changes", () => {
  it("of XRP are in drops and include the fee that the account paid", () => {
    const nodes = [balance(alice, "100", "85"), balance(bob, "7", "12"), balance(carol, "1", "2")]
    assert.deepStrictEqual(changesOf(paid, nodes, "payment.xrp"), [inXrp(alice, "-15"), inXrp(bob, "5")])
  })

  it("are exact, whatever the form of the numbers", () => {
    const nodes = [
      line(1, alice, issuer, "1000000000000000e-3", "1000000000001.5"),
      line(2, issuer, bob, "-1e-80")
    ]
    assert.deepStrictEqual(changesOf(paidUsd, nodes, "payment.issued"), [
      inUsd(alice, issuer, "-1.5"),
      inUsd(bob, issuer, `0.${"0".repeat(79)}1`)
    ])
  })

  it("of a token are seen from the account: its issuer has one for each holder", () => {
    const nodes = [
      line(1, issuer, bob, "-8", "-5"),
      line(2, carol, issuer, "2", "4"),
      balance(issuer, "9", "8")
    ]
    const redeemed = { TransactionType: "Payment", Account: bob, Destination: issuer, Amount: usd("1") }
    const found = changesOf(redeemed, nodes, "payment.issued")
    assert.sameDeepMembers(
      [...(found ?? [])],
      [inUsd(bob, issuer, "3"), inXrp(issuer, "-1"), inUsd(issuer, bob, "-3"), inUsd(issuer, carol, "2")]
    )
  })

  it("have XRP first, then tokens by currency and issuer, then MPTs", () => {
    const id = `00000007${accountIdOf("issuer")}`
    const nodes = [
      created("MPToken", key(1), { Account: bob, MPTokenIssuanceID: id, MPTAmount: "4" }),
      line(2, bob, issuer, "1", "0"),
      line(3, bob, carol, "1", "0"),
      balance(bob, "1", "2")
    ]
    assert.deepStrictEqual(changesOf(paid, nodes, "payment.xrp"), [
      inXrp(bob, "1"),
      ...[carol, issuer].sort().map((other) => inUsd(bob, other, "1")),
      { account: bob, asset: { mpt_issuance_id: id }, change: "4" }
    ])
  })

  it("leave out what has not changed, and are empty if nothing has", () => {
    const nodes = [
      modified("AccountRoot", key(1), { Account: alice, Balance: "5" }, { Sequence: 6 }),
      line(2, bob, issuer, "2.0", "2")
    ]
    assert.deepStrictEqual(changesOf(paid, nodes, "payment.xrp"), [])
  })

  it("are those of created and deleted accounts too", () => {
    const tx = { TransactionType: "AccountDelete", Destination: bob }
    const nodes = [
      deleted("AccountRoot", key(1), { Account: alice, Balance: "0" }, { Balance: "50" }),
      created("AccountRoot", key(2), { Account: bob, Balance: "40" })
    ]
    assert.deepStrictEqual(changesOf(tx, nodes, "account.deleted"), [inXrp(alice, "-50"), inXrp(bob, "40")])
  })

  it("are absent if a node cannot be read, or a balance of the accounts", () => {
    const sound = balance(alice, "100", "85")
    assert.lengthOf(changesOf(paid, [sound], "payment.xrp") ?? [], 1)
    const root = (fields: JsonObject) => modified("AccountRoot", key(1), fields, { Balance: "1" })
    for (const node of [
      { OtherNode: {} },
      root({ Account: bob, Balance: "1e3" }),
      root({ Account: bob }),
      root({ Balance: "5" }),
      line(1, bob, issuer, "0x5", "1"),
      modified("MPToken", key(1), { Account: bob, MPTokenIssuanceID: "1", MPTAmount: "1" })
    ])
      assert.isUndefined(changesOf(paid, [sound, node], "payment.xrp"), JSON.stringify(node))
  })

  it("are absent if there are more than 100", () => {
    const lines = (count: number) =>
      Array.from({ length: count }, (_, n) => line(n + 1, bob, issuer, String(n + 2), "1"))
    assert.lengthOf(changesOf(paid, lines(100), "payment.xrp") ?? [], 100)
    assert.isUndefined(changesOf(paid, lines(101), "payment.xrp"))
  })
})

const id = `0000002A${accountIdOf("issuer")}`
const holding = (after: JsonObject, previous?: JsonObject, account = bob): JsonObject =>
  modified("MPToken", key(1), { Account: account, MPTokenIssuanceID: id, Flags: 0, ...after }, previous)

const finished = (destination: string): ReadonlyArray<JsonObject> => [
  deleted("Escrow", key(2), {
    Account: bob,
    Destination: destination,
    Amount: { mpt_issuance_id: id, value: "5" },
    Sequence: 3
  })
]

const ofUnits = (tx: JsonObject, nodes: ReadonlyArray<Json>, name: string) =>
  changesOf(tx, nodes, name)?.map(({ account, asset, change }) => {
    assert.deepStrictEqual(asset, { mpt_issuance_id: id })
    return [account, change]
  })

describe("balance changes of an MPT", () => {
  const mptPaid: JsonObject = { ...paid, Amount: { mpt_issuance_id: id, value: "5" } }
  const finish: JsonObject = { TransactionType: "EscrowFinish", Account: carol, OfferSequence: 3 }
  const cancel: JsonObject = { TransactionType: "EscrowCancel", Account: carol, OfferSequence: 3 }

  it.each<readonly [what: string, node: JsonObject, change: string | undefined]>([
    ["a number before and after", holding({ MPTAmount: "12" }, { MPTAmount: "7" }), "5"],
    ["a first number", holding({ MPTAmount: "5" }), "5"],
    ["the last units spent", holding({}, { MPTAmount: "5" }), "-5"],
    ["another field only", holding({ MPTAmount: "5", Flags: 1 }, { Flags: 0 }), undefined]
  ])("of a holder: %s", (_, node, change) => {
    assert.deepStrictEqual(
      ofUnits(mptPaid, [node], "payment.issued"),
      change === undefined ? [] : [[bob, change]]
    )
  })

  it("of its issuer are the opposite of what is outstanding", () => {
    const issuance = modified(
      "MPTokenIssuance",
      key(3),
      { Issuer: issuer, Sequence: 42, OutstandingAmount: "7" },
      { OutstandingAmount: "12" }
    )
    const tx = { ...mptPaid, Destination: issuer }
    assert.deepStrictEqual(ofUnits(tx, [issuance], "payment.issued"), [[issuer, "5"]])
  })

  it("do not count what escrows lock", () => {
    const locked = holding({ MPTAmount: "5" }, { LockedAmount: "5" })
    assert.deepStrictEqual(ofUnits(cancel, [locked, ...finished(alice)], "escrow.cancelled"), [[bob, "5"]])
    assert.deepStrictEqual(ofUnits(finish, [locked, ...finished(alice)], "escrow.finished"), [])
    assert.deepStrictEqual(ofUnits(finish, [locked, ...finished(bob)], "escrow.finished"), [[bob, "5"]])
  })

  it("are absent if the metadata do not tell the former number", () => {
    const node = holding({ MPTAmount: "5" }, { ConfidentialBalanceVersion: 1 })
    assert.isUndefined(changesOf(mptPaid, [node], "payment.issued"))
    assert.isUndefined(changesOf(mptPaid, [holding({ MPTAmount: "005" })], "payment.issued"))
  })
})
