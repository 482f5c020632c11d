/** Reads a Protocol Buffers message whose field numbers are known. It supports only the wire types that tests need. */

/** The values of each field, by field number: varints as integers, all other wire types as bytes. */
export type Message = ReadonlyMap<number, ReadonlyArray<bigint | Buffer>>

const EIGHT_BYTES = 8
const FOUR_BYTES = 4

export const readMessage = (bytes: Buffer): Message => {
  const fields = new Map<number, Array<bigint | Buffer>>()
  let at = 0
  const varint = (): bigint => {
    let value = 0n
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++]
      if (byte === undefined) throw new Error("the message ends within a number")
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return value
    }
  }
  const take = (length: number): Buffer => {
    if (at + length > bytes.length) throw new Error("the message ends within a field")
    at += length
    return bytes.subarray(at - length, at)
  }
  while (at < bytes.length) {
    const tag = Number(varint())
    const wireType = tag & 7
    const read: Readonly<Record<number, () => bigint | Buffer>> = {
      0: varint,
      1: () => take(EIGHT_BYTES),
      2: () => take(Number(varint())),
      5: () => take(FOUR_BYTES)
    }
    const value = read[wireType]
    if (value === undefined) throw new Error(`no such wire type: ${wireType}`)
    fields.set(tag >> 3, [...(fields.get(tag >> 3) ?? []), value()])
  }
  return fields
}

/** The values of a field that are bytes. */
const chunks = (message: Message, field: number): ReadonlyArray<Buffer> =>
  (message.get(field) ?? []).filter((value) => typeof value !== "bigint")

export const messages = (message: Message, field: number): ReadonlyArray<Message> =>
  chunks(message, field).map(readMessage)

export const text = (message: Message, field: number): string =>
  chunks(message, field)[0]?.toString("utf8") ?? ""

export const hex = (message: Message, field: number): string =>
  chunks(message, field)[0]?.toString("hex") ?? ""

export const integer = (message: Message, field: number): number =>
  Number(BigInt.asIntN(64, BigInt(message.get(field)?.find((value) => typeof value === "bigint") ?? 0n)))

export const fixed64 = (message: Message, field: number): bigint =>
  chunks(message, field)[0]?.readBigUInt64LE() ?? 0n

export const double = (message: Message, field: number): number | undefined =>
  chunks(message, field)[0]?.readDoubleLE()
