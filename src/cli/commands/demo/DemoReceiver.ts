/**
 * The demo's receiver: a real HTTP server with one path per sample webhook. `healthy` answers at once, `slow` after a
 * while, `failing` answers 503 to the first two attempts of each delivery. It verifies signatures with the webhook's
 * secret and keeps what the summary is checked against.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { Effect, type Scope } from "effect"
import { verifySignature } from "../Received.ts"

export const samples = ["healthy", "slow", "failing"] as const
export type Sample = (typeof samples)[number]

/** How long `slow` takes, in milliseconds. */
export const SLOW_MS = 400
/** Attempts of each delivery that `failing` refuses. */
export const FAILURES = 2

export interface SampleCount {
  attempts: number
  refused: number
  wrongSignatures: number
  /** Event id → event type, of deliveries answered with 200. */
  readonly accepted: Map<string, string>
}

export interface DemoReceiver {
  readonly urlOf: (sample: Sample) => string
  readonly counts: Readonly<Record<Sample, SampleCount>>
  readonly secrets: Map<Sample, string>
}

const newCount = (): SampleCount => ({ attempts: 0, refused: 0, wrongSignatures: 0, accepted: new Map() })

export const makeDemoReceiver: Effect.Effect<DemoReceiver, never, Scope.Scope> = Effect.gen(function* () {
  const counts = { healthy: newCount(), slow: newCount(), failing: newCount() }
  const secrets = new Map<Sample, string>()
  /** Attempts seen of each delivery to `failing` that has not been accepted yet. */
  const refusals = new Map<string, number>()

  const statusFor = (sample: Sample, deliveryId: string): number => {
    if (sample !== "failing") return 200
    const seen = refusals.get(deliveryId) ?? 0
    if (seen >= FAILURES) {
      refusals.delete(deliveryId)
      return 200
    }
    refusals.set(deliveryId, seen + 1)
    return 503
  }

  const take = (sample: Sample, request: IncomingMessage, body: Buffer): number => {
    const count = counts[sample]
    const header = (name: string) => String(request.headers[name] ?? "")
    count.attempts++
    if (verifySignature(secrets.get(sample), body, header("x-service-signature")) !== "ok") {
      count.wrongSignatures++
      return 401
    }
    const status = statusFor(sample, header("x-service-delivery-id"))
    if (status === 200) count.accepted.set(header("x-service-event-id"), header("x-service-event-type"))
    else count.refused++
    return status
  }

  const respond = Effect.fnUntraced(function* (
    request: IncomingMessage,
    response: ServerResponse,
    body: Buffer
  ) {
    const sample = samples.find((name) => request.url === `/${name}`)
    if (sample === "slow") yield* Effect.sleep(SLOW_MS)
    response.writeHead(sample === undefined ? 404 : take(sample, request, body)).end()
  })

  const context = yield* Effect.context<never>()
  const server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      Effect.runForkWith(context)(respond(request, response, Buffer.concat(chunks)))
    })
  })
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
    () =>
      Effect.callback<void>((resume) => {
        server.close(() => resume(Effect.void))
        server.closeAllConnections()
      })
  )
  // A server that listens on TCP has such an address.
  const { port } = server.address() as AddressInfo
  return { urlOf: (sample) => `http://127.0.0.1:${port}/${sample}`, counts, secrets }
})
