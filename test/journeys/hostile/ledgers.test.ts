/**
 * Ledgers of any form, made from simulated and real ones by a seed: reading and detection never throw, what comes out
 * matches its schema, and transactions that are intact give the same events as before.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { makeChain } from "../../../src/features/simulator/Chain.ts"
import { detectLedger } from "../../../src/spine/detect/Detect.ts"
import type { Json, JsonObject } from "../../../src/spine/event/Ledger.ts"
import { isJsonObject, normaliseLedger } from "../../../src/spine/event/NormaliseLedger.ts"
import { complaints, payloadPath } from "../../schemas/support.ts"
import { corpusFiles, corpusFolder, corpusPresent } from "../../support/ledger/corpusLedgers.ts"
import { ledgerResult } from "../../support/ledger/ledgerAnswers.ts"
import { generator } from "../../support/ledger/misbehavingServer.ts"

const SEED = 27
const MUTANTS = 400

type Chance = () => number

const pick = <A>(chance: Chance, from: ReadonlyArray<A>): A => from[Math.floor(chance() * from.length)]!

const nested = (depth: number): Json => JSON.parse(`${'{"a":['.repeat(depth)}${"]}".repeat(depth)}`)

const wrongs = (chance: Chance): Json =>
  pick<() => Json>(chance, [
    () => null,
    () => pick(chance, [0, -1, 1.5, 1e308, -1e308, 2 ** 53, 2 ** 32]),
    () =>
      pick(chance, [
        "",
        "NaN",
        "-NaN",
        "Infinity",
        "1e999999999",
        "9".repeat(10_000),
        "0x10",
        "\0",
        "\ud800"
      ]),
    () => pick(chance, ["__proto__", "constructor", "toString", "\u202egnp", "🪝", "<script>", "é"]),
    () => [],
    () => ({}),
    () => [null, [], {}],
    () => nested(200),
    () => new Array<Json>(1_000).fill({ ModifiedNode: { LedgerEntryType: "Offer" } }),
    () => JSON.parse('{"__proto__":{"Account":"x"},"constructor":{"prototype":{}}}')
  ])()

/** A copy with one part, at any depth, replaced, removed, duplicated or renamed. */
const mutated = (chance: Chance, value: Json): Json => {
  if (Array.isArray(value)) {
    if (value.length === 0 || chance() < 0.1) return [...value, wrongs(chance)]
    const at = Math.floor(chance() * value.length)
    if (chance() < 0.1) return [...value, value[at]!]
    if (chance() < 0.1) return value.toSpliced(at, 1)
    return value.with(at, mutated(chance, value[at]!))
  }
  if (!isJsonObject(value) || chance() < 0.05) return wrongs(chance)
  const names = Object.keys(value)
  if (names.length === 0) return { Account: wrongs(chance) }
  const name = pick(chance, names)
  const { [name]: part, ...others } = value
  const kind = chance()
  if (kind < 0.15) return others
  if (kind < 0.25) return { ...others, [pick(chance, names)]: part! }
  return { ...value, [name]: mutated(chance, part!) }
}

const simulated = (): ReadonlyArray<Json> => {
  const chain = makeChain({
    seed: SEED,
    firstLedgerIndex: 1_000_000,
    firstCloseTime: 830_000_000,
    transactionsPerLedger: 20,
    hashing: "digest"
  })
  return Array.from({ length: 20 }, (_, i): Json => {
    const options = { version: i % 2 === 0 ? 2 : 1, transactions: true, expand: true } as const
    return JSON.parse(JSON.stringify(ledgerResult(chain.close(830_000_000 + i * 4), options)))
  })
}

/** The five smallest ledgers of the corpus: others have megabytes. */
const real = (): ReadonlyArray<Json> =>
  corpusPresent
    ? corpusFiles()
        .map((file) => readFileSync(join(corpusFolder, file), "utf8"))
        .sort((a, b) => a.length - b.length)
        .map((text): Json => JSON.parse(text))
        .filter((raw) => normaliseLedger(raw) !== undefined)
        .slice(0, 5)
    : []

/** Counts how often the parts of a value are read: a bound for the work that does not depend on the machine. */
const counted = <A extends object>(value: A, count: { reads: number }): A =>
  new Proxy(value, {
    get: (target, name) => {
      count.reads++
      const part: unknown = Reflect.get(target, name)
      return typeof part === "object" && part !== null ? counted(part, count) : part
    }
  })

const transactionsOf = (raw: Json) => normaliseLedger(raw)?.ledger.transactions ?? []

/** How many parts a value has. */
const sizeOf = (value: Json): number =>
  typeof value === "object" && value !== null
    ? Object.values(value).reduce((sum: number, part: Json) => sum + sizeOf(part), 1)
    : 1

describe(`ledgers of any form (seed ${SEED})`, () => {
  const originals = [...simulated(), ...real()]

  it("never make detection throw, and give only events that match their schema", () => {
    const chance = generator(SEED)
    let read = 0
    for (const original of originals) {
      for (let i = 0; i < MUTANTS / originals.length; i++) {
        let mutant = original
        for (let times = 0; times <= chance() * 6; times++) mutant = mutated(chance, mutant)
        const normalised = normaliseLedger(mutant)
        if (normalised === undefined) continue
        read++
        for (const { event_type, payload } of detectLedger(normalised.ledger).events)
          assert.deepStrictEqual(complaints(payloadPath(event_type), payload), [])
      }
    }
    assert.isAbove(read, MUTANTS / 4)
  })

  it("lose no event of a transaction that is intact", () => {
    const chance = generator(SEED + 1)
    for (const original of originals) {
      const { ledger } = normaliseLedger(original)!
      const damaged = new Set<string>()
      const transactions = ledger.transactions.flatMap((transaction) => {
        if (chance() < 0.7) return [transaction]
        damaged.add(transaction.hash)
        const meta = mutated(chance, mutated(chance, transaction.meta))
        const tx = mutated(chance, transaction.tx)
        return isJsonObject(meta) && isJsonObject(tx) ? [{ hash: transaction.hash, tx, meta }] : []
      })
      const intact = ({ event_id }: { readonly event_id: string }) => !damaged.has(event_id.split(":")[2]!)
      const byId = <A extends { readonly event_id: string }>(all: ReadonlyArray<A>) =>
        all.filter(intact).toSorted((a, b) => (a.event_id < b.event_id ? -1 : 1))
      assert.deepStrictEqual(
        byId(detectLedger({ ...ledger, transactions }).events),
        byId(detectLedger(ledger).events)
      )
    }
  })

  it("cost work in proportion to their size, also with thousands of equal nodes", () => {
    const [transaction] = transactionsOf(originals[0]!)
    // Every transaction of the simulated ledger has this list.
    const nodes = transaction!.meta["AffectedNodes"] as ReadonlyArray<Json>
    const readsOf = (copies: number) => {
      const many = Array.from({ length: copies }, () => nodes).flat()
      const meta: JsonObject = { ...transaction!.meta, AffectedNodes: many }
      const count = { reads: 0 }
      const { ledger } = normaliseLedger(originals[0]!)!
      detectLedger(counted({ ...ledger, transactions: [{ ...transaction!, meta }] }, count))
      return { reads: count.reads, size: sizeOf(meta) }
    }
    const [few, many] = [readsOf(100), readsOf(3_000)]
    assert.isAtMost(many.reads / many.size, (few.reads / few.size) * 2)
  })
})
