/**
 * Answers a webhook request: decompresses it, verifies it, parses it, ignores duplicates, calls the handler, and says
 * with the status whether the service should send it again. Frameworks reach it through the adapters beside this file.
 */
import { BODY_BYTES_MAX, decompress } from "./compression.ts"
import { deduplicate, memoryStore, type SeenStore } from "./duplicates.ts"
import { BodyError, ParseError, tooLargeText } from "./errors.ts"
import { type LedgerhookEvent, parseAll, type Received } from "./events.ts"
import {
  checkOptions,
  headerOf,
  type Refusal,
  refusalOf,
  type SignedRequest,
  type VerifyOptions
} from "./signature.ts"

export interface ReceiverOptions extends VerifyOptions {
  /** Called for each new event. When it fails, the service sends the event again. Be done within 10 seconds. */
  readonly onEvent: (event: LedgerhookEvent, deliveryId: string | undefined) => unknown
  /** Stores the ids of handled events. Default: the newest 10,000, in memory. */
  readonly store?: SeenStore
  /** Called with each error of `onEvent` and of the store. Default: console.error. */
  readonly onError?: (error: unknown, event: LedgerhookEvent) => void
  /** Requests that are larger, before or after decompression, are answered with 413. Default: 4 MiB. */
  readonly maxBodyBytes?: number
}

export interface Answer {
  readonly status: number
  /** JSON. The service stores it with the attempt. */
  readonly body: string
}

export interface Receiver {
  readonly maxBodyBytes: number
  readonly receive: (request: SignedRequest) => Promise<Answer>
}

const whyRefused: Readonly<Record<Refusal, string>> = {
  no_signature: "The request has no signature header that this receiver accepts.",
  no_match: "The signature fits none of this receiver's secrets.",
  malformed: "webhook-id or webhook-timestamp is missing or malformed.",
  too_old: "webhook-timestamp is too old.",
  too_new: "webhook-timestamp is in the future."
}

export const answer = (status: number, content: object): Answer => ({
  status,
  body: JSON.stringify(content)
})

export const tooLarge = (maxBodyBytes: number): Answer => answer(413, { error: tooLargeText(maxBodyBytes) })

export const createReceiver = (options: ReceiverOptions): Receiver => {
  checkOptions(options)
  const once = deduplicate(options.store ?? memoryStore())
  const { maxBodyBytes = BODY_BYTES_MAX, onError = console.error, onEvent } = options

  const handled = async ({ deliveryId, event }: Received): Promise<boolean> => {
    try {
      await once(event, () => onEvent(event, deliveryId))
      return true
    } catch (error) {
      onError(error, event)
      return false
    }
  }

  /** The events of a genuine request, or the answer to one that is refused. */
  const eventsOf = (arrived: SignedRequest): ReadonlyArray<Received> | Answer => {
    try {
      const request = decompress(arrived, maxBodyBytes)
      const refusal = refusalOf(request, options)
      if (refusal !== undefined) return answer(401, { error: whyRefused[refusal] })
      const { body, headers } = request
      return parseAll(body, headerOf(headers, "x-service-delivery-id"), headers)
    } catch (error) {
      if (error instanceof BodyError) return answer(error.status, { error: error.message })
      if (error instanceof ParseError) return answer(400, { error: error.message })
      throw error
    }
  }

  const receive = async (request: SignedRequest): Promise<Answer> => {
    const all = eventsOf(request)
    if ("status" in all) return all
    const failed: Array<Received> = []
    // Events are handled one after the other, because a batch is in ledger order.
    for (const one of all) if (!(await handled(one))) failed.push(one)
    if (failed.length === 0) return answer(200, { received: all.length })
    if (failed.length === all.length) return answer(500, { error: "The event could not be handled." })
    return answer(207, { failed: failed.map(({ deliveryId }) => deliveryId) })
  }

  return { maxBodyBytes, receive }
}
