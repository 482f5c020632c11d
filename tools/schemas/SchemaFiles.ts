/** The files that are generated from the schemas in the code, and how a folder differs from them. Pure. */

import { openApiDocument } from "../../src/app/Contract.ts"
import { asyncApiDocument } from "../../src/http/openapi/AsyncApiDocument.ts"
import { publishedSchemas } from "../../src/spine/event/JsonSchemas.ts"
import { vectorFiles } from "../vectors/Files.ts"
import { receiverPython } from "./ReceiverPython.ts"
import { receiverTypes } from "./ReceiverTypes.ts"
import { schemaIndex } from "./SchemaIndex.ts"
import { signatureVectors } from "./SignatureVectors.ts"

/** File contents by path below their folder. */
export type Files = ReadonlyMap<string, string>

export interface Difference {
  readonly path: string
  readonly what: "missing" | "outdated" | "left over"
}

const jsonText = (document: object): string => `${JSON.stringify(document, null, 2)}\n`

export const schemaFiles = (): Files => {
  const schemas = publishedSchemas()
  return new Map([
    ["README.md", schemaIndex(schemas)],
    ...schemas.map(({ path, document }): [string, string] => [path, jsonText(document)]),
    ["openapi.json", jsonText(openApiDocument())],
    ["asyncapi.json", jsonText(asyncApiDocument())],
    ["signature-vectors.json", jsonText(signatureVectors())],
    ...vectorFiles().map(([name, text]): [string, string] => [`detection/${name}`, text])
  ])
}

/** Files in a generated folder that are written by hand. */
const byHand: ReadonlySet<string> = new Set(["detection/LICENSE", "detection/README.md"])

/** Every folder that holds generated files, and nothing else but `byHand`. */
export const generatedFolders = (): ReadonlyArray<readonly [folder: string, files: Files]> => [
  ["schemas", schemaFiles()],
  ["packages/receiver-js/src/generated", new Map([["events.ts", receiverTypes(publishedSchemas())]])],
  [
    "packages/receiver-python/src/ledgerhook_receiver/generated",
    new Map([
      ["__init__.py", ""],
      ["events.py", receiverPython(publishedSchemas())]
    ])
  ]
]

export const differences = (shouldBe: Files, is: Files): ReadonlyArray<Difference> => {
  const found: Array<Difference> = []
  for (const [path, text] of shouldBe) {
    const there = is.get(path)
    if (there !== text) found.push({ path, what: there === undefined ? "missing" : "outdated" })
  }
  for (const path of is.keys())
    if (!shouldBe.has(path) && !byHand.has(path)) found.push({ path, what: "left over" })
  return found
}
