/**
 * Simulated receivers in place of the sender. Each answers by its kind and by seeded chance, until `recover` is
 * called. They record their requests with times, and how many were open at once.
 */
import { Effect, FiberSet, Layer } from "effect"
import type { SeededRandom } from "../../../src/features/simulator/SeededRandom.ts"
import { type Send, Sender } from "../../../src/spine/deliver/send/Sender.ts"
import type { SignedRequest } from "../../../src/spine/deliver/send/Signer.ts"
import type { AttemptOutcome } from "../../../src/spine/domain/Delivery.ts"
import type { VirtualClock } from "./virtualClock.ts"

export const kinds = ["fast", "slow", "hanging", "failing", "flaky", "recovering"] as const
export type Kind = (typeof kinds)[number]

export interface Request {
  readonly deliveryId: string
  readonly atMs: number
  /** Whether the receiver took the delivery, also if the answer reaches nobody. */
  readonly accepted: boolean
}

export interface Receiver {
  readonly kind: Kind
  /** Each delivery of each request. */
  readonly requests: Array<Request>
  /** When each request arrived, and how many deliveries it carried. */
  readonly arrivals: Array<{ readonly atMs: number; readonly deliveries: number }>
  open: number
  mostOpen: number
}

/** How a receiver handles one request. */
interface Reaction {
  readonly afterMs: number
  /** Null: it does not answer. */
  readonly status: number | null
}

export const FAST_MS = 100
/** Receivers answer at multiples of this time, so that a simulation has fewer steps. */
const STEP_MS = 100
export const DEADLINE_MS = 5_000

const reactionOf = (kind: Kind, chance: SeededRandom): Reaction => {
  const answer = (status: number, slowest: number): Reaction => ({
    afterMs: chance.int(1, slowest / STEP_MS) * STEP_MS,
    status
  })
  const silence: Reaction = { afterMs: DEADLINE_MS, status: null }
  switch (kind) {
    case "fast":
      return { afterMs: FAST_MS, status: 200 }
    case "slow":
      return answer(200, 3_000)
    case "hanging":
      return silence
    case "failing":
      return { afterMs: STEP_MS, status: 503 }
    case "flaky":
      return chance.flip(0.6) ? answer(200, 400) : chance.flip(0.8) ? answer(500, 400) : silence
    case "recovering":
      return chance.flip(0.5) ? answer(503, 200) : silence
  }
}

const isSuccess = (status: number | null) => status === 200 || status === 207

const outcomeOf = ({ afterMs, status }: Reaction, body: string): AttemptOutcome => ({
  delivered: isSuccess(status),
  responseStatus: status,
  responseTimeMs: status === null ? null : afterMs,
  responseBody: status === null ? null : body,
  error: status === null ? "timeout" : isSuccess(status) ? null : `HTTP ${status}`
})

/** The deliveries that a request carries: one, or those of a batch. */
const idsOf = ({ body, headers }: SignedRequest): ReadonlyArray<string> =>
  headers["X-Service-Batch-Id"] === undefined
    ? [headers["X-Service-Delivery-Id"]!]
    : (JSON.parse(String(body)) as ReadonlyArray<{ readonly delivery_id: string }>).map(
        (item) => item.delivery_id
      )

export interface Receivers {
  /** Adds a receiver at that path. */
  readonly add: (path: string, kind: Kind) => Receiver
  /** From now on all receivers are fast; the failing ones only if `failingToo`. */
  readonly recover: (failingToo: boolean) => void
  readonly sender: Layer.Layer<Sender>
  /** The sender of one of several processes. */
  readonly senderOf: (process: string) => Layer.Layer<Sender>
  /** The process has died: its requests are not open any more. */
  readonly cut: (process: string) => void
}

export const makeReceivers = (clock: Pick<VirtualClock, "nowMs">, chance: SeededRandom): Receivers => {
  let recovered: ReadonlyArray<Kind> = []
  /** The receivers of the open requests of each process. */
  const open = new Map<string, Array<Receiver>>()
  const receivers = new Map<string, Receiver>()
  /** A flaky receiver accepts some deliveries of a batch. */
  const answerOf = (reaction: Reaction, kind: Kind, deliveries: number): Reaction =>
    kind === "flaky" && deliveries > 1 && reaction.status === 200 ? { ...reaction, status: 207 } : reaction
  const senderOf = (process: string) =>
    Layer.succeed(Sender)({
      shortage: Effect.succeed(undefined),
      opened: Effect.gen(function* () {
        const run = yield* FiberSet.makeRuntime()
        let closed = false
        yield* Effect.addFinalizer(() =>
          Effect.sync(() => {
            closed = true
          })
        )
        const send: Send = (_, request, __, ended) => {
          // As the real sender: an attempt may have waited until its actor has ended.
          if (closed) return
          const receiver = receivers.get(request.url.pathname)!
          const ids = idsOf(request)
          const atMs = clock.nowMs()
          receiver.arrivals.push({ atMs, deliveries: ids.length })
          receiver.mostOpen = Math.max(receiver.mostOpen, ++receiver.open)
          const ofProcess = open.get(process) ?? []
          open.set(process, ofProcess)
          ofProcess.push(receiver)
          const kind = recovered.includes(receiver.kind) ? "fast" : receiver.kind
          const reaction = answerOf(reactionOf(kind, chance), kind, ids.length)
          const failed = reaction.status === 207 ? ids.filter(() => chance.flip(0.5)) : []
          for (const deliveryId of ids) {
            const accepted = isSuccess(reaction.status) && !failed.includes(deliveryId)
            receiver.requests.push({ deliveryId, atMs, accepted })
          }
          const close = Effect.sync(() => {
            if (!open.get(process)?.includes(receiver)) return
            ofProcess.splice(ofProcess.indexOf(receiver), 1)
            receiver.open--
          })
          run(
            Effect.sleep(reaction.afterMs).pipe(
              Effect.ensuring(close),
              Effect.andThen(Effect.sync(() => ended(outcomeOf(reaction, JSON.stringify({ failed })))))
            )
          )
        }
        return send
      })
    })
  return {
    add: (path, kind) => {
      const receiver: Receiver = { kind, requests: [], arrivals: [], open: 0, mostOpen: 0 }
      receivers.set(path, receiver)
      return receiver
    },
    recover: (failingToo) => {
      recovered = kinds.filter((kind) => failingToo || kind !== "failing")
    },
    sender: senderOf(""),
    senderOf,
    cut: (process) => {
      for (const receiver of open.get(process) ?? []) receiver.open--
      open.delete(process)
    }
  }
}
