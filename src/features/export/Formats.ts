/**
 * The formats of exported files. `ndjson` writes each record as it is, one a line; each group is one gzip member, and
 * members one after the other are one valid gzip file.
 */
import { gzipSync } from "node:zlib"
import { Effect } from "effect"
import type { EventType } from "../../spine/event/EventType.ts"
import type { Encoder } from "./Encoder.ts"

export const formats = ["ndjson", "parquet"] as const
export type Format = (typeof formats)[number]

export const fileEndings: Readonly<Record<Format, string>> = { ndjson: "ndjson.gz", parquet: "parquet" }

const ndjsonEncoder = (): Encoder => ({
  group: (values) => gzipSync(`${values.join("\n")}\n`),
  end: () => new Uint8Array()
})

/** Returns a function that makes the encoder of one file. */
export const encoders = (format: Format): Effect.Effect<(type: EventType) => Encoder> =>
  format === "ndjson"
    ? Effect.succeed(ndjsonEncoder)
    : Effect.map(
        Effect.promise(() => import("./Parquet.ts")),
        ({ parquetEncoder }) => parquetEncoder
      )
