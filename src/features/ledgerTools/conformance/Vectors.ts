/** The conformance vectors of schemas/detection, which the package contains. */
import { globSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import type { JsonObject } from "../../../spine/event/Ledger.ts"
import type { Network } from "../../../spine/event/Network.ts"
import type { Expectation } from "./Compare.ts"

export const forms = ["v1", "v2", "binary"] as const
export type Form = (typeof forms)[number]

export interface Vector extends Expectation {
  readonly name: string
  /** A section of docs/detection-rules.md. */
  readonly rule: string
  readonly about: string
  /** Absent: unknown. */
  readonly network?: Network
  /** A form in which the case cannot exist is absent. */
  readonly input: Readonly<Partial<Record<Form, JsonObject>>>
}

/** In the repository and in the package this folder has the same place. */
const folder = fileURLToPath(new URL("../../../../schemas/detection/", import.meta.url))

export const readVectors = (): ReadonlyArray<Vector> =>
  globSync("*.json", { cwd: folder })
    .toSorted()
    // `npm run schemas` writes these files.
    .flatMap((file) => JSON.parse(readFileSync(folder + file, "utf8")) as ReadonlyArray<Vector>)
