/** Reads a body as bytes, up to a limit; undefined when it is larger. */
export const readBody = async (
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  maxBytes: number
): Promise<Uint8Array | undefined> => {
  const parts: Array<Uint8Array> = []
  let bytes = 0
  for await (const chunk of chunks) {
    bytes += chunk.length
    if (bytes > maxBytes) return undefined
    parts.push(chunk)
  }
  return Buffer.concat(parts)
}
