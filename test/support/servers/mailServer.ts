/**
 * A real SMTP server on this machine that keeps the mails it accepted. Like many local servers, it offers STARTTLS with
 * a certificate that nobody trusts.
 */
import type { AddressInfo } from "node:net"
import { Effect, Latch, type Scope } from "effect"
import { SMTPServer } from "smtp-server"

export interface TakenMail {
  readonly from: string
  readonly to: ReadonlyArray<string>
  /** Headers by lower-case name. */
  readonly headers: ReadonlyMap<string, string>
  /** The text that a mail program shows. */
  readonly body: string
  /** The whole mail as it was sent. */
  readonly raw: string
}

export interface MailServer {
  readonly url: string
  readonly port: number
  readonly taken: ReadonlyArray<TakenMail>
  /** The address of every MAIL FROM. */
  readonly senders: ReadonlyArray<string>
  /** Waits until the predicate is true of the mails accepted so far. */
  readonly until: (holds: (taken: ReadonlyArray<TakenMail>) => boolean) => Effect.Effect<void>
}

const unquoted = (body: string): string => {
  const bytes = body
    .replaceAll("=\r\n", "")
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, "latin1").toString("utf8")
}

const parse = (raw: string): Pick<TakenMail, "headers" | "body"> => {
  const [head = "", ...rest] = raw.split("\r\n\r\n")
  const lines = head.replaceAll(/\r\n[ \t]+/g, " ").split("\r\n")
  const headers = new Map(
    lines.map((line) => {
      const colon = line.indexOf(":")
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const
    })
  )
  const body = rest.join("\r\n\r\n")
  const quoted = headers.get("content-transfer-encoding") === "quoted-printable"
  return { headers, body: quoted ? unquoted(body) : body }
}

const refusal = (responseCode: number | undefined, text: string) =>
  responseCode === undefined ? null : Object.assign(new Error(text), { responseCode })

export const makeMailServer = (
  options: {
    readonly port?: number
    /** The reply code that refuses a recipient; undefined accepts it. */
    readonly refuse?: (recipient: string) => number | undefined
    /** The reply code that refuses a sender; undefined accepts it. */
    readonly refuseSender?: (sender: string) => number | undefined
    /** The server waits for this effect before it acknowledges a mail. */
    readonly beforeTaking?: Effect.Effect<void>
  } = {}
): Effect.Effect<MailServer, never, Scope.Scope> =>
  Effect.gen(function* () {
    const taken: Array<TakenMail> = []
    const senders: Array<string> = []
    const arrived = Latch.makeUnsafe()
    const server = new SMTPServer({
      authOptional: true,
      disableReverseLookup: true,
      onMailFrom: ({ address }, _, callback) => {
        senders.push(address)
        callback(refusal(options.refuseSender?.(address), "not your address"))
      },
      onRcptTo: ({ address }, _, callback) => {
        callback(refusal(options.refuse?.(address), "no such mailbox"))
      },
      onData: (stream, { envelope }, callback) => {
        const chunks: Array<Buffer> = []
        stream.on("data", (chunk: Buffer) => chunks.push(chunk))
        stream.on("end", () => {
          Effect.runCallback(options.beforeTaking ?? Effect.void, {
            onExit: () => {
              const raw = Buffer.concat(chunks).toString("utf8")
              taken.push({
                from: envelope.mailFrom === false ? "" : envelope.mailFrom.address,
                to: envelope.rcptTo.map(({ address }) => address),
                raw,
                ...parse(raw)
              })
              callback()
              arrived.openUnsafe()
            }
          })
        })
      }
    })
    // The server ignores clients that disconnect in the middle of a mail.
    server.on("error", () => {})
    yield* Effect.acquireRelease(
      Effect.callback<void>((resume) => {
        server.listen(options.port ?? 0, "127.0.0.1", () => resume(Effect.void))
      }),
      () => Effect.callback<void>((resume) => server.close(() => resume(Effect.void)))
    )
    // The cast is safe: a server that listens on TCP has an `AddressInfo`.
    const { port } = server.server.address() as AddressInfo
    return {
      url: `smtp://127.0.0.1:${port}`,
      port,
      taken,
      senders,
      until: (holds) =>
        Effect.gen(function* () {
          while (!holds(taken)) {
            yield* Latch.await(arrived)
            arrived.closeUnsafe()
          }
        })
    }
  })
