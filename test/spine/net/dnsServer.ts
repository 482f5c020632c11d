/**
 * A DNS server on a UDP port of the loopback interface. It answers questions for A and AAAA records as the test says,
 * or not at all, and keeps the questions.
 */
import { createSocket } from "node:dgram"
import { isIPv4 } from "node:net"
import { Effect } from "effect"

export type Family = 4 | 6

export interface Zone {
  readonly [hostname: string]: {
    /** Each address with its TTL in seconds. Empty: the name exists but has no address of the family. */
    readonly [family in Family]?: Readonly<Record<string, number>> | "silence"
  } & {
    /** A family whose answers wait for `release`. */
    readonly late?: Family
  }
}

const HEADER_BYTES = 12
const TYPE_A = 1
const TYPE_AAAA = 28
const NXDOMAIN = 3

const bytesOf = (address: string): Buffer => {
  if (isIPv4(address)) return Buffer.from(address.split(".").map(Number))
  const [head = "", tail = ""] = address.split("::")
  const groups = (text: string) => (text === "" ? [] : text.split(":"))
  const zeros = 8 - groups(head).length - groups(tail).length
  const all = [...groups(head), ...Array.from({ length: zeros }, () => "0"), ...groups(tail)]
  return Buffer.from(all.map((group) => group.padStart(4, "0")).join(""), "hex")
}

const readQuestion = (query: Buffer) => {
  const labels: Array<string> = []
  let at = HEADER_BYTES
  for (let length = query[at]!; length > 0; length = query[at]!) {
    labels.push(query.toString("latin1", at + 1, at + 1 + length))
    at += 1 + length
  }
  return { hostname: labels.join("."), type: query.readUInt16BE(at + 1), end: at + 5 }
}

const answer = (query: Buffer, end: number, code: number, type: number, records: Record<string, number>) => {
  const header = Buffer.alloc(HEADER_BYTES)
  query.copy(header, 0, 0, 2)
  // Flags: a response with recursion. One question.
  header.writeUInt16BE(0x8180 | code, 2)
  header.writeUInt16BE(1, 4)
  header.writeUInt16BE(Object.keys(records).length, 6)
  const answers = Object.entries(records).map(([address, seconds]) => {
    const data = bytesOf(address)
    const fields = Buffer.alloc(12)
    // The name is a pointer to the question's name; class 1 is the internet.
    fields.writeUInt16BE(0xc000 | HEADER_BYTES, 0)
    fields.writeUInt16BE(type, 2)
    fields.writeUInt16BE(1, 4)
    fields.writeUInt32BE(seconds, 6)
    fields.writeUInt16BE(data.length, 10)
    return Buffer.concat([fields, data])
  })
  return Buffer.concat([header, query.subarray(HEADER_BYTES, end), ...answers])
}

/** A test may change `zone` while the server runs. */
export const makeDnsServer = (zone: Zone) =>
  Effect.acquireRelease(
    Effect.callback<{
      readonly address: string
      readonly asked: Array<string>
      readonly release: () => void
      readonly close: () => void
    }>((resume) => {
      const asked: Array<string> = []
      const held: Array<() => void> = []
      const socket = createSocket("udp4")
      socket.on("message", (query, { address, port }) => {
        const { hostname, type, end } = readQuestion(query)
        const family = type === TYPE_A ? 4 : type === TYPE_AAAA ? 6 : undefined
        asked.push(`${hostname} ${family}`)
        const records = family === undefined ? undefined : zone[hostname]?.[family]
        if (records === "silence") return
        const code = zone[hostname] === undefined ? NXDOMAIN : 0
        const send = () => socket.send(answer(query, end, code, type, records ?? {}), port, address)
        if (zone[hostname]?.late === family) held.push(send)
        else send()
      })
      socket.bind(0, "127.0.0.1", () =>
        resume(
          Effect.succeed({
            address: `127.0.0.1:${socket.address().port}`,
            asked,
            release: () => {
              for (const send of held) send()
            },
            close: () => socket.close()
          })
        )
      )
    }),
    ({ close }) => Effect.sync(close)
  )
