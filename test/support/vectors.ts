/**
 * Reads the conformance vectors (schemas/detection) for docs/detection-rules.md 5.5, which lists them by the type of
 * their transactions. `UPDATE_DOCUMENTS=1 npm test -- test/documents.test.ts` rewrites the list.
 */
import { globSync, readFileSync } from "node:fs"
import { decode } from "xrpl"
import type { JsonObject } from "../../src/domain/Ledger.ts"
import { normaliseLedger } from "../../src/domain/NormaliseLedger.ts"
import { transactionHash } from "../../src/ledger/BinaryForm.ts"
import { causes } from "./rulesPage.ts"

interface Vector {
  readonly name: string
  readonly rule: string
  readonly input: { readonly v1?: JsonObject; readonly v2?: JsonObject; readonly binary?: JsonObject }
  readonly events: ReadonlyArray<{
    readonly event_type: string
    readonly payload: { readonly tx_hash: string }
  }>
}

/** The files hold one vector or a list of them. Other files of the folder have no input. */
export const vectors: ReadonlyArray<Vector> = globSync("schemas/detection/**/*.json")
  .sort()
  .flatMap((file): ReadonlyArray<Vector> => [JSON.parse(readFileSync(file, "utf8"))].flat())
  .filter(({ input }) => input !== undefined)

/** The type of each transaction that can be read, by hash. */
export const typesIn = ({ input: { binary, v1, v2 } }: Vector): ReadonlyMap<string, string> => {
  const read = normaliseLedger(v2 ?? v1)?.ledger.transactions ?? []
  const blobs = binary === undefined ? [] : JSON.stringify(binary).matchAll(/"tx_blob":"([0-9A-F]+)"/g)
  return new Map([
    ...Array.from(
      blobs,
      ([, blob]) => [transactionHash(blob!), String(decode(blob!)["TransactionType"])] as const
    ),
    ...read.map(({ hash, tx }) => [hash, String(tx["TransactionType"])] as const)
  ])
}

/** One row for each type: its vectors. Then the types that may cause an event and have none. */
export const vectorsMarkdown = (): string => {
  const tested = new Map<string, Array<string>>()
  for (const vector of vectors)
    for (const type of new Set(typesIn(vector).values()))
      tested.set(type, [...(tested.get(type) ?? []), `\`${vector.name}\``])
  const rows = Array.from(tested)
    .sort()
    .map(([type, names]) => `| \`${type}\` | ${names.join(", ")} |`)
  const without = Array.from(causes.keys())
    .filter((type) => !tested.has(type))
    .sort()
  return [
    "| transaction | vectors |",
    "|---|---|",
    ...rows,
    "",
    `**Without a vector**: ${without.map((type) => `\`${type}\``).join(", ") || "none"}.`
  ].join("\n")
}
