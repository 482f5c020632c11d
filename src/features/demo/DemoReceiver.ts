/**
 * The demo's receiver: an HTTP server with one path for each sample webhook. `slow` answers after 400 ms, `failing`
 * answers 503 to the first two attempts of each delivery, the others answer at once. It verifies signatures and counts
 * what arrives, for the summary.
 */

import { Effect } from "effect"
import { verifySignature } from "../../spine/domain/VerifySignature.ts"
import type { DeliveryId } from "../../spine/words/Ids.ts"
import { makeReceiver, type Post } from "../../terminal/Receiver.ts"

/** Delay of `slow`. */
export const SLOW_MS = 400
/** How many attempts of each delivery `failing` refuses. */
export const FAILURES = 2

/** Two want a part of the events, so that the dashboard shows which family goes where. */
export const sampleWebhooks = {
  healthy: { description: "Answers at once", event_types: ["*"] },
  slow: { description: `Answers after ${SLOW_MS} ms`, event_types: ["*"] },
  failing: { description: "Refuses each delivery twice", event_types: ["*"] },
  payments: { description: "Payments only", event_types: ["payment.*"] },
  trades: { description: "NFTs and DEX offers", event_types: ["nft.*", "dex.*"] }
}
export type Sample = keyof typeof sampleWebhooks

export const samples = Object.keys(sampleWebhooks) as ReadonlyArray<Sample>

/** A value for each sample. */
export type BySample<A> = Readonly<Record<Sample, A>>

export const bySample = <A>(of: (sample: Sample) => A): BySample<A> =>
  Object.fromEntries(samples.map((sample) => [sample, of(sample)])) as BySample<A>

export interface SampleCount {
  attempts: number
  refused: number
  wrongSignatures: number
  /** Event id → event type of the deliveries that were answered with 200. */
  readonly accepted: Map<string, string>
}

export interface DemoReceiver {
  readonly urlOf: (sample: Sample) => string
  readonly counts: BySample<SampleCount>
  readonly secrets: Map<Sample, string>
}

const newCount = (): SampleCount => ({ attempts: 0, refused: 0, wrongSignatures: 0, accepted: new Map() })

export const makeDemoReceiver = Effect.gen(function* () {
  const counts = bySample(newCount)
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
