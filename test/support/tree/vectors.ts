/**
 * Lists the conformance vectors (schemas/detection) by the type of their transactions, for docs/detection-rules.md 5.5.
 * `UPDATE_DOCUMENTS=1 npm test -- test/documents.test.ts` rewrites that list.
 */
import { globSync, readFileSync } from "node:fs"
import { decode } from "xrpl"
import type { JsonObject } from "../../../src/spine/event/Ledger.ts"
import { normaliseLedger } from "../../../src/spine/event/NormaliseLedger.ts"
import { printable } from "../../../src/spine/words/Printable.ts"
import { causes } from "./rulesPage.ts"

interface Vector {
  readonly name: string
  /** One ledger, in the forms in which it can exist. */
  readonly input: { readonly v1?: JsonObject; readonly v2?: JsonObject; readonly binary?: JsonObject }
}

const typesIn = ({ input: { binary = {}, v1, v2 } }: Vector): ReadonlySet<unknown> => {
  const inJson = normaliseLedger(v2 ?? v1)?.ledger.transactions.map(({ tx }) => tx)
  const blobs = JSON.stringify(binary).matchAll(/"tx_blob":"([0-9A-F]+)"/g)
  const transactions = inJson ?? Array.from(blobs, ([, blob]) => decode(blob!))
  return new Set(transactions.map(({ TransactionType }) => TransactionType))
}

const inCode = (names: ReadonlyArray<string>): string => names.map((name) => `\`${name}\``).join(", ")

/** One row for each type: its vectors. Then the types that may cause an event and have none. */
export const vectorsMarkdown = (): string => {
  const vectors: ReadonlyArray<Vector> = globSync("schemas/detection/*.json")
    .sort()
    .flatMap((file) => JSON.parse(readFileSync(file, "utf8")))
  const pairs = vectors.flatMap((vector) =>
    Array.from(typesIn(vector), (type) => ({ type, name: vector.name }))
  )
  const tested = Map.groupBy(pairs, ({ type }) => printable(String(type)))
  return [
    "| transaction | vectors |",
    "|---|---|",
    ...Array.from(tested, ([type, of]) => `| \`${type}\` | ${inCode(of.map(({ name }) => name))} |`).sort(),
    "",
    `**Without a vector**: ${inCode([...causes.keys()].filter((type) => !tested.has(type)).sort())}.`
  ].join("\n")
}
