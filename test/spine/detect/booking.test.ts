/** When an event has no memos or no changes of balances. The conformance vectors state the rules of both. */
import { assert, describe, it } from "@effect/vitest"
import type { Json, JsonObject } from "../../../src/spine/event/Ledger.ts"
import {
  accountIdOf,
  alice,
  balance,
  bob,
  created,
  detect,
  eventNamed,
  issuer,
  key,
  modified,
  transaction
} from "./support.ts"

const paid: JsonObject = { TransactionType: "Payment", Destination: bob, Amount: "5" }

const memosOf = (memos: Json) => {
  const event = eventNamed(detect(transaction({ ...paid, Memos: memos })), "payment.xrp")
  return { memos: event.memos, truncated: event.memos_truncated }
}

const memo = (fields: JsonObject): JsonObject => ({ Memo: fields })

describe("memos", () => {
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

describe("balance changes", () => {
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

it("balance changes are absent if the units of an MPT are no number", () => {
  const MPTokenIssuanceID = `0000002A${accountIdOf("issuer")}`
  const holding = modified("MPToken", key(1), { Account: bob, MPTokenIssuanceID, MPTAmount: "005" })
  const tx = { ...paid, Amount: { mpt_issuance_id: MPTokenIssuanceID, value: "5" } }
  assert.isUndefined(changesOf(tx, [holding], "payment.issued"))
})
