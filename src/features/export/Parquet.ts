/**
 * Encodes events of one type as a Parquet file, row group by row group, compressed with zstd. The same events in the
 * same groups give the same bytes. Loaded only for --format parquet, because the library is not needed elsewhere.
 */
import { zstdCompressSync } from "node:zlib"
import { ByteWriter, ParquetWriter } from "hyparquet-writer"
import type { EventType } from "../../spine/event/EventType.ts"
import type { JsonObject } from "../../spine/event/Ledger.ts"
import type { Encoder } from "./Encoder.ts"
import { eventColumns, schemaElements } from "./ParquetColumns.ts"
import { rowsOf } from "./ParquetValues.ts"

export const parquetEncoder = (type: EventType): Encoder => {
  const columns = eventColumns()
  const names = Object.keys(columns)
  const rowOf = rowsOf(type)
  const bytes = new ByteWriter()
  const writer = new ParquetWriter({
    codec: "ZSTD",
    compressors: { ZSTD: (input) => zstdCompressSync(input) },
    createdBy: "ledgerhook",
    writer: bytes,
    schema: [...schemaElements(columns)]
  })
  /** The bytes since the last call. The writer's `offset` keeps counting from the start of the file. */
  const taken = () => {
    const part = new Uint8Array(bytes.buffer.slice(0, bytes.index))
    bytes.index = 0
    return part
  }
  return {
    group: (values) => {
      // The caller has checked that the value is an event.
      const rows = values.map((value) => rowOf(JSON.parse(value) as JsonObject))
      writer.write({
        columnData: names.map((name) => ({ name, data: rows.map((row) => row[name]), offsetIndex: false })),
        rowGroupSize: values.length
      })
      return taken()
    },
    end: () => {
      writer.finish()
      return taken()
    }
  }
}
