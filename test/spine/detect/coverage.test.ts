/**
 * docs/detection-rules.md 5 has a place for every transaction type, ledger entry and flag that the pinned `xrpl`
 * package knows, names only what exists, and has every event that real ledgers show. It does not check the effects
 * that no real ledger shows.
 */
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as xrpl from "xrpl"
import { detectLedger } from "../../../src/spine/detect/Detect.ts"
import { eventTypes } from "../../../src/spine/event/EventType.ts"
import type { JsonObject } from "../../../src/spine/event/Ledger.ts"
import { ledgerOfTransaction, normaliseLedger } from "../../../src/spine/event/NormaliseLedger.ts"
import { corpusFolder, corpusPresent } from "../../support/ledger/corpusLedgers.ts"
import { causes, firstCells, prose, quoted, rows, rulesPage } from "../../support/tree/rulesPage.ts"
import { bob, detect, key, modified, transaction } from "./support.ts"

const sorted = (names: Iterable<string>): ReadonlyArray<string> => Array.from(names).sort()

type Flags = Readonly<Record<string, Readonly<Record<string, number>>>>

const definitions: {
  readonly TRANSACTION_TYPES: Readonly<Record<string, number>>
  readonly LEDGER_ENTRY_TYPES: Readonly<Record<string, number>>
  readonly TRANSACTION_FLAGS: Flags
  readonly LEDGER_ENTRY_FLAGS: Flags
  readonly ACCOUNT_SET_FLAGS: Readonly<Record<string, number>>
} = JSON.parse(readFileSync("node_modules/ripple-binary-codec/dist/enums/definitions.json", "utf8"))

const typesOf = (types: Readonly<Record<string, number>>): ReadonlyArray<string> =>
  sorted(Object.keys(types).filter((name) => name !== "Invalid"))

/** `type flag` of each flag of the package. Its enumerations have other names for some types. */
const packageFlags = (): ReadonlyArray<string> => {
  const { ACCOUNT_SET_FLAGS, LEDGER_ENTRY_FLAGS, TRANSACTION_FLAGS } = definitions
  const flags: Array<readonly [type: string, flags: object]> = [
    ...Object.entries(TRANSACTION_FLAGS),
    ...Object.entries(LEDGER_ENTRY_FLAGS),
    ["AccountSet", ACCOUNT_SET_FLAGS]
  ]
  for (const [name, flagsOfType] of Object.entries(xrpl)) {
    const type = /^(\w+?)(?:Asf|Immutable|Tf)?Flags$/.exec(name)?.[1]
    if (type !== undefined && typeof flagsOfType === "object")
      flags.push([type === "Global" ? "universal" : type, flagsOfType])
  }
  const names = flags.flatMap(([type, of]) => Object.keys(of).map((flag) => `${type} ${flag}`))
  // An enumeration of TypeScript also maps its numbers to the names.
  return sorted(new Set(names.filter((name) => !/ \d+$/.test(name))))
}

describe("docs/detection-rules.md 5", () => {
  it("has every transaction type once, and no other", () => {
    const without = quoted(prose("5.1").split("**No event**")[1])
    assert.deepStrictEqual(sorted([...firstCells("5.1"), ...without]), typesOf(definitions.TRANSACTION_TYPES))
  })

  it("has every event type as what some transaction is for or causes, and no other", () => {
    assert.deepStrictEqual(sorted(new Set([...causes.values()].flat())), sorted(eventTypes))
  })

  it("has every amendment once", () => {
    const named = [...firstCells("5.2"), ...quoted(prose("5.2"))]
    assert.deepStrictEqual(
      named.filter((name, at) => named.indexOf(name) !== at),
      []
    )
  })

  it("names only rules that this page has", () => {
    const named = ["5.1", "5.2", "5.3", "5.4"].flatMap((number) =>
      rows(number).flatMap((cells) => cells.at(-1)!.split(", "))
    )
    assert.isNotEmpty(named)
    const headings = new Set(Array.from(rulesPage.matchAll(/^##+ ([\d.]*\d)\.? /gm), ([, number]) => number!))
    assert.deepStrictEqual(
      named.filter((rule) => !headings.has(rule)),
      []
    )
  })

  it("has every ledger entry once, and no other", () => {
    const unread = quoted(prose("5.3").split("Any entry")[0])
    assert.deepStrictEqual(sorted([...firstCells("5.3"), ...unread]), typesOf(definitions.LEDGER_ENTRY_TYPES))
  })

  it("calls exactly those entries read that detection reads", () => {
    const nodeWithoutKey = (type: string): JsonObject => ({ ModifiedNode: { LedgerEntryType: type } })
    const read = typesOf(definitions.LEDGER_ENTRY_TYPES).filter(
      (type) => detect(transaction({ TransactionType: "Payment" }, [nodeWithoutKey(type)])).alerts.length > 1
    )
    assert.deepStrictEqual(read, sorted(firstCells("5.3")))
  })

  it("has every flag of every type, and no other", () => {
    const inTable = rows("5.4").flatMap(([type, read, unread]) =>
      [...quoted(read), ...quoted(unread)].map((flag) => `${quoted(type)[0]} ${flag}`)
    )
    const unread = Array.from(prose("5.4").matchAll(/`(\w+)` \(([^)]*)\)/g)).flatMap(([, type, flags]) =>
      quoted(flags).map((flag) => `${type} ${flag}`)
    )
    assert.deepStrictEqual(sorted([...inTable, ...unread]), packageFlags())
  })

  it.skipIf(!corpusPresent)("has every event of real ledgers (skipped without ../shared/xrpl-corpus)", () => {
    const missing = new Set<string>()
    for (const file of globSync(["ledgers/*.json", "transactions/*/*.json"], { cwd: corpusFolder })) {
      const raw: unknown = JSON.parse(readFileSync(join(corpusFolder, file), "utf8"))
      const ledger = normaliseLedger(raw)?.ledger ?? ledgerOfTransaction(raw)!
      for (const one of ledger.transactions)
        for (const { event_type } of detectLedger({ ...ledger, transactions: [one] }).events) {
          const type = String(one.tx["TransactionType"])
          if (causes.get(type)?.includes(event_type) !== true) missing.add(`${type} ${event_type}`)
        }
    }
    assert.deepStrictEqual([...missing], [])
  })
})

describe("a SponsorshipTransfer", () => {
  it.each(firstCells("5.3"))("that gives an entry another sponsor causes no event: %s", (type) => {
    const sponsored = modified(type, key(1), { Sponsor: bob })
    assert.deepStrictEqual(detect(transaction({ TransactionType: "SponsorshipTransfer" }, [sponsored])), {
      events: [],
      alerts: []
    })
  })
})
