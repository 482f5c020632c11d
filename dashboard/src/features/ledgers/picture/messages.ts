/** Reads server-sent events (https://html.spec.whatwg.org/#server-sent-events) as far as the service uses them. */

/** The data of one block of lines, if it is of the event `wanted`. */
const dataOf = (block: string, wanted: string): ReadonlyArray<string> => {
  const lines = block.split("\n")
  if (!lines.includes(`event: ${wanted}`)) return []
  return [
    lines.flatMap((line) => (line.startsWith("data: ") ? [line.slice("data: ".length)] : [])).join("\n")
  ]
}

/**
 * The data of the events named `wanted`, in groups: what one read brings is given at once. Ends with the body, or when
 * nothing has come for `silentMs`: the service sends comments while it has nothing else.
 */
export async function* messagesOf(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  wanted: string,
  silentMs: number
): AsyncGenerator<ReadonlyArray<string>> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ""
  for (;;) {
    const silent = setTimeout(() => reader.cancel(), silentMs)
    const { done, value } = await reader.read().finally(() => clearTimeout(silent))
    if (done) return
    const blocks = (rest + value.replaceAll("\r\n", "\n")).split("\n\n")
    rest = blocks.pop()!
    const group = blocks.flatMap((block) => dataOf(block, wanted))
    if (group.length > 0) yield group
  }
}
