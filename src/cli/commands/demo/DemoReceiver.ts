/**
 * The demo's receiver: an HTTP server with one path for each sample webhook. `healthy` answers at once, `slow` after
 * 400 ms, `failing` answers 503 to the first two attempts of each delivery. It verifies signatures and counts what
 * arrives, for the summary.
 */

import { Effect } from "effect"
import type { DeliveryId } from "../../../domain/Ids.ts"
import { verifySignature } from "../Received.ts"
import { makeReceiver, type Post } from "../Receiver.ts"

export const samples = ["healthy", "slow", "failing"] as const
export type Sample = (typeof samples)[number]

/** Delay of `slow`. */
export const SLOW_MS = 400
/** How many attempts of each delivery `failing` refuses. */
export const FAILURES = 2

export interface SampleCount {
  attempts: number
  refused: number
  wrongSignatures: number
  /** Event id → event type of the deliveries that were answered with 200. */
  readonly accepted: Map<string, string>
}

export interface DemoReceiver {
  readonly urlOf: (sample: Sample) => string
  readonly counts: Readonly<Record<Sample, SampleCount>>
  readonly secrets: Map<Sample, string>
}

const newCount = (): SampleCount => ({ attempts: 0, refused: 0, wrongSignatures: 0, accepted: new Map() })

export const makeDemoReceiver = Effect.gen(function* () {
  const counts: DemoReceiver["counts"] = { healthy: newCount(), slow: newCount(), failing: newCount() }
  const secrets = new Map<Sample, string>()
  /** Delivery id → how many attempts `failing` has refused. */
  const refusals = new Map<string, number>()

  const statusFor = (sample: Sample, deliveryId: DeliveryId): number => {
    if (sample !== "failing") return 200
    const seen = refusals.get(deliveryId) ?? 0
    if (seen >= FAILURES) {
      refusals.delete(deliveryId)
      return 200
    }
    refusals.set(deliveryId, seen + 1)
    return 503
  }

  const take = (sample: Sample, { headers, body }: Post): number => {
    const count = counts[sample]
    const header = (name: string) => headers[`x-service-${name}`] ?? ""
    count.attempts++
    if (verifySignature(secrets.get(sample), body, header("signature")) !== "ok") {
      count.wrongSignatures++
      return 401
    }
    const status = statusFor(sample, header("delivery-id"))
    if (status === 200) count.accepted.set(header("event-id"), header("event-type"))
    else count.refused++
    return status
  }

  const url = yield* makeReceiver(
    "127.0.0.1",
    0,
    Effect.fnUntraced(function* (post) {
      const sample = samples.find((name) => post.path === `/${name}`)
      if (sample === "slow") yield* Effect.sleep(SLOW_MS)
      return { status: sample === undefined ? 404 : take(sample, post) }
    })
  )
  const receiver: DemoReceiver = { urlOf: (sample) => `${url}/${sample}`, counts, secrets }
  return receiver
})
