/**
 * Confluent's wire format of a value: a zero byte, the schema's id in four bytes, then the JSON. Without a registry the
 * value is only the JSON, which never begins with a zero byte. So `decodeValue` accepts both. Pure.
 */
const MAGIC = 0
const PREFIX_BYTES = 5

/** `schemaId` undefined: plain JSON. */
export const encodeValue = (json: string, schemaId: number | undefined): Buffer => {
  if (schemaId === undefined) return Buffer.from(json)
  const value = Buffer.alloc(PREFIX_BYTES + Buffer.byteLength(json), MAGIC)
  value.writeInt32BE(schemaId, 1)
  value.write(json, PREFIX_BYTES)
  return value
}

export const decodeValue = (value: Buffer): string =>
  value.toString("utf8", value[0] === MAGIC ? PREFIX_BYTES : 0)

/** Undefined: plain JSON. */
export const schemaIdIn = (value: Buffer): number | undefined =>
  value[0] === MAGIC && value.length >= PREFIX_BYTES ? value.readInt32BE(1) : undefined
