/**
 * Confluent's wire format of a value: a zero byte, the schema's id in four bytes, and the JSON. Without a registry a value
 * is the JSON alone, which never begins with a zero byte: readers take both, whatever the settings were when it was
 * written. Pure.
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
