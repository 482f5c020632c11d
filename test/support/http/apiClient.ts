/** The API as a customer without a library uses it: HTTP and JSON. */
import { Effect, Schedule } from "effect"

export interface ApiAnswer {
  readonly status: number
  // The JSON may be from any endpoint; the tests assert its fields.
  readonly body: Readonly<Record<string, never>>
}

export interface ApiClient {
  readonly call: (method: string, path: string, body?: unknown) => Effect.Effect<ApiAnswer, Error>
}

export const apiClient = (baseUrl: string, key: string): ApiClient => ({
  call: (method, path, body) =>
    Effect.tryPromise({
      try: async () => {
        const response = await fetch(`${baseUrl}${path}`, {
          method,
          headers: {
            "X-Service-Key": key,
            ...(body !== undefined && { "Content-Type": "application/json" })
          },
          ...(body !== undefined && { body: JSON.stringify(body) })
        })
        const text = await response.text()
        return { status: response.status, body: text === "" ? {} : JSON.parse(text) }
      },
      catch: (cause) => new Error(`${method} ${path}`, { cause })
    })
})

export interface CreatedWebhook {
  readonly id: string
  readonly secret: string
}

export const createWebhook = (client: ApiClient, fields: Readonly<Record<string, unknown>>) =>
  Effect.flatMap(client.call("POST", "/v1/webhooks", fields), ({ status, body }) =>
    status === 201
      ? Effect.succeed(body as unknown as CreatedWebhook)
      : Effect.die(new Error(`POST /v1/webhooks: ${status} ${JSON.stringify(body)}`))
  )

export interface ListedDelivery {
  readonly id: string
  readonly status: string
  readonly attempts: number
  readonly event_id: string
  readonly webhook_id: string
}

/** Every delivery; reads all pages. */
export const allDeliveries = Effect.fnUntraced(function* (client: ApiClient) {
  const found: Array<ListedDelivery> = []
  let cursor: string | null = null
  do {
    const query: string = cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`
    const { status, body } = yield* client.call("GET", `/v1/deliveries?limit=100${query}`)
    if (status !== 200) return yield* Effect.fail(new Error(`GET /v1/deliveries answered ${status}`))
    const page = body as unknown as {
      readonly data: ReadonlyArray<ListedDelivery>
      readonly next_cursor: string | null
    }
    found.push(...page.data)
    cursor = page.next_cursor
  } while (cursor !== null)
  return found
})

/**
 * Waits, on the real clock, until what is read is as wanted. It waits as long as that keeps changing, so a slow machine
 * is not a failure, and fails with the last value when nothing has changed for `still`.
 */
export const waitWhileChanging = Effect.fnUntraced(function* <A, E, R>(
  read: Effect.Effect<A, E, R>,
  isWanted: (value: A) => boolean,
  still: `${number} seconds`
) {
  while (true) {
    const before = yield* read
    if (isWanted(before)) return
    const text = JSON.stringify(before)
    yield* waitUntil(
      Effect.map(read, (value) => JSON.stringify(value) !== text),
      still
    ).pipe(Effect.catchTag("TimeoutError", () => Effect.fail(new Error(`no change for ${still}: ${text}`))))
  }
})

/** Waits, on the real clock, until the effect returns true. */
export const waitUntil = <E, R>(holds: Effect.Effect<boolean, E, R>, timeout: `${number} seconds`) =>
  holds.pipe(
    Effect.flatMap((is) => (is ? Effect.void : Effect.fail("not yet" as const))),
    Effect.retry(Schedule.spaced("50 millis")),
    Effect.timeout(timeout)
  )
