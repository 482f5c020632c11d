/** Reading a server's messages: a field of the wrong type counts as absent. */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import {
  announcementOf,
  answered,
  ledgerOf,
  refusalOf,
  unfit
} from "../../../../src/spine/ledger/servers/ServerMessages.ts"
import { chain, hashOf } from "../../../support/ledger/chain.ts"

describe("an announcement", () => {
  it("has a ledger index, and hash and count if present", () => {
    const hash = hashOf("a")
    assert.deepStrictEqual(
      announcementOf({ ledger_index: 7, ledger_hash: hash.toLowerCase(), txn_count: 0 }),
      { ledgerIndex: 7, ledgerHash: hash, transactionCount: 0 }
    )
    assert.deepStrictEqual(announcementOf({ ledger_index: 7, ledger_hash: "short", txn_count: "3" }), {
      ledgerIndex: 7,
      ledgerHash: undefined,
      transactionCount: undefined
    })
  })

  it("without a valid index is ignored", () => {
    for (const ledger_index of [undefined, null, 0, -1, 1.5, 2 ** 32, "7", Number.NaN])
      assert.isUndefined(announcementOf({ ledger_index }))
    for (const message of [undefined, null, "text", []]) assert.isUndefined(announcementOf(message))
  })
})

describe("a refusal", () => {
  const reason = (error: string) => refusalOf(error, undefined).reason

  it("follows the server's error code, in both API versions", () => {
    assert.strictEqual(reason("lgrNotFound"), "not_found")
    for (const code of ["notSynced", "noNetwork", "noCurrent", "noClosed"])
      assert.strictEqual(reason(code), "not_synced")
    for (const code of ["slowDown", "tooBusy"]) assert.strictEqual(reason(code), "rate_limited")
    assert.strictEqual(reason("amendmentBlocked"), "amendment_blocked")
    for (const code of ["neverHeardOf", "constructor", "toString"])
      assert.strictEqual(reason(code), "malformed")
  })

  it("contains no control characters, and its length is bounded", () => {
    assert.strictEqual(
      refusalOf("no\u001b[2J", "line\nWARN forged").detail,
      "answered no\\u001b[2J: line\\u000aWARN forged"
    )
    assert.isBelow(refusalOf("x", "y".repeat(100_000)).detail.length, 400)
    for (const code of [null, { toString: 1 }, [[]]])
      assert.strictEqual(refusalOf(code, code).detail, "answered a value that is not text")
  })
})

describe("a server", () => {
  const info = (fields: object) => ({ result: { info: fields } })

  it("fits its network if it names this network or none, and is not amendment blocked", () => {
    assert.isUndefined(unfit("testnet", info({ network_id: 1 })))
    assert.isUndefined(unfit("mainnet", info({})))
    assert.strictEqual(unfit("mainnet", info({ network_id: 1 }))?.reason, "wrong_network")
    assert.strictEqual(unfit("mainnet", info({ network_id: "0" }))?.reason, "wrong_network")
    assert.strictEqual(unfit("mainnet", info({ amendment_blocked: true }))?.reason, "amendment_blocked")
    assert.strictEqual(unfit("mainnet", { result: {} })?.reason, "malformed")
    assert.isTrue(Result.isFailure(answered({ warnings: [{ id: 2001 }, { id: 1002 }] })))
    assert.isTrue(Result.isSuccess(answered({ warnings: [{ id: 2001 }] })))
  })

  it("has sent a validated ledger only if the answer says so", () => {
    const [ledger] = chain(7, 7)
    assert.isTrue(ledgerOf("s", { result: { ledger, validated: true } })?.validated)
    assert.isFalse(ledgerOf("s", { result: { ledger, validated: "true" } })?.validated)
    assert.isFalse(ledgerOf("s", { result: { ledger: { ...ledger, validated: true } } })?.validated)
    assert.isUndefined(ledgerOf("s", { result: { validated: true } }))
  })

  it("has not sent a validated ledger if a part of the answer denies it", () => {
    const [ledger] = chain(7, 7)
    const [first, ...others] = ledger!.transactions
    for (const change of [
      { validated: false },
      { closed: false },
      { transactions: [{ ...first, validated: false }, ...others] }
    ]) {
      const result = { ledger: { ...ledger, ...change }, validated: true }
      assert.isFalse(ledgerOf("s", { result })?.validated)
    }
    assert.isFalse(ledgerOf("s", { result: { ledger, validated: true }, validated: false })?.validated)
  })
})
