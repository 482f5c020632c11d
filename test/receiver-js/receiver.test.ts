/** The receiver package's answers: what counts as delivered was handled, and what was not handled is retried. */
import { assert, describe, it } from "@effect/vitest"
import {
  createReceiver,
  deduplicate,
  memoryStore,
  type ReceiverOptions,
  type SeenStore
} from "../../packages/receiver-js/src/index.ts"
import { eventBody, exampleEvent, SECRET, signed } from "./support.ts"

const receiving = (options: Partial<ReceiverOptions> = {}) => {
  const handled: Array<string> = []
  const errors: Array<unknown> = []
  const receiver = createReceiver({
    secrets: [SECRET],
    onEvent: ({ event_id }, deliveryId) => handled.push(`${deliveryId} ${event_id}`),
    onError: (error) => errors.push(error),
    ...options
  })
  return { handled, errors, receiver }
}

const statusOf = async (receiver: ReturnType<typeof createReceiver>, body: string, secret = SECRET) =>
  (await receiver.receive(signed(body, secret))).status

describe("createReceiver", () => {
  it("hands over each event once and answers duplicates with 200", async () => {
    const { handled, receiver } = receiving()
    assert.strictEqual(await statusOf(receiver, eventBody()), 200)
    assert.strictEqual(await statusOf(receiver, eventBody()), 200)
    assert.strictEqual(await statusOf(receiver, eventBody({ event_id: "other" })), 200)
    assert.deepStrictEqual(handled, [
      `dlv_01KAJ0Q4M8000000G3T5W7Y9ZB ${exampleEvent.event_id}`,
      "dlv_01KAJ0Q4M8000000G3T5W7Y9ZB other"
    ])
  })

  it("answers 500 if the handler is a generator, whose call runs nothing", async () => {
    for (const onEvent of [
      function* () {
        yield "never"
      },
      async function* () {
        yield "never"
      }
    ]) {
      const { receiver } = receiving({ onEvent })
      assert.strictEqual(await statusOf(receiver, eventBody()), 500)
      assert.strictEqual(await statusOf(receiver, eventBody()), 500)
    }
  })

  it("takes events with the same id on two networks as two", async () => {
    const { handled, receiver } = receiving()
    await statusOf(receiver, eventBody({ network: "testnet" }))
    await statusOf(receiver, eventBody({ network: "devnet" }))
    assert.lengthOf(handled, 2)
  })

  it("answers 500 when the handler fails, so that the event is retried and handled then", async () => {
    let down = true
    const { errors, receiver } = receiving({
      onEvent: () => (down ? Promise.reject(new Error("database is down")) : undefined)
    })
    assert.strictEqual(await statusOf(receiver, eventBody()), 500)
    assert.match(String(errors[0]), /database is down/)
    down = false
    assert.strictEqual(await statusOf(receiver, eventBody()), 200)
    assert.lengthOf(errors, 1)
  })

  it("answers 500 when the store fails", async () => {
    const store: SeenStore = { has: () => Promise.reject(new Error("store is down")), add: () => undefined }
    const { errors, handled, receiver } = receiving({ store })
    assert.strictEqual(await statusOf(receiver, eventBody()), 500)
    assert.lengthOf(errors, 1)
    assert.deepStrictEqual(handled, [])
  })

  it.each<[status: number, why: string, body: string, secret: string]>([
    [401, "a wrong secret", eventBody(), "whsec_d3Jvbmc="],
    [400, "a body that is no event", "{}", SECRET],
    [413, "a body that is too large", eventBody({ padding: "x".repeat(2000) }), SECRET]
  ])("answers %i to %s, without calling the handler", async (status, _, body, secret) => {
    const { handled, receiver } = receiving({ maxBodyBytes: 2000 })
    const answer = await receiver.receive(signed(body, secret))
    assert.strictEqual(answer.status, status)
    assert.isString(JSON.parse(answer.body).error)
    assert.deepStrictEqual(handled, [])
  })

  it("names the events of a batch that failed, and only those", async () => {
    const { receiver } = receiving({
      onEvent: ({ event_id }) => {
        if (event_id === "b") throw new Error("no")
      }
    })
    const batch = ["a", "b", "c"].map((event_id) => ({
      delivery_id: `dlv_${event_id}`,
      event: { ...exampleEvent, event_id }
    }))
    const { body, status } = await receiver.receive(signed(JSON.stringify(batch)))
    assert.deepStrictEqual([status, body], [207, '{"failed":["dlv_b"]}'])
    assert.strictEqual(await statusOf(receiver, JSON.stringify(batch.slice(1, 2))), 500)
    assert.strictEqual(await statusOf(receiver, JSON.stringify(batch.slice(2))), 200)
  })

  it("throws at the start for a secret that is not set", () => {
    assert.throws(() => receiving({ secrets: [""] }), /environment variable/)
  })
})

describe("deduplicate", () => {
  const event = exampleEvent

  it("handles an event once that arrives three times at once", async () => {
    const once = deduplicate()
    let calls = 0
    const handle = () => Promise.resolve(calls++)
    const results = await Promise.all([once(event, handle), once(event, handle), once(event, handle)])
    assert.deepStrictEqual(results, ["handled", "duplicate", "duplicate"])
    assert.strictEqual(calls, 1)
  })

  it("lets a waiting copy take over when the first one fails", async () => {
    const once = deduplicate()
    let calls = 0
    const handle = () => (calls++ === 0 ? Promise.reject(new Error("first")) : Promise.resolve())
    const [first, ...others] = await Promise.allSettled([
      once(event, handle),
      once(event, handle),
      once(event, handle)
    ])
    assert.strictEqual(first.status, "rejected")
    assert.deepStrictEqual(
      others.map((one) => (one.status === "fulfilled" ? one.value : one.reason)),
      ["handled", "duplicate"]
    )
    assert.strictEqual(calls, 2)
  })

  it("writes the id after the handler, so that a crash in between repeats and never loses", async () => {
    const steps: Array<string> = []
    const store: SeenStore = {
      has: () => Promise.resolve(steps.push("has") < 0),
      add: () => Promise.resolve(steps.push("add"))
    }
    await deduplicate(store)(event, () => steps.push("handle"))
    assert.deepStrictEqual(steps, ["has", "handle", "add"])
  })

  it("remembers in memory only the newest ids", () => {
    const store = memoryStore(2)
    for (const key of ["a", "b", "a", "c"]) store.add(key)
    assert.deepStrictEqual(
      ["a", "b", "c"].map((key) => store.has(key)),
      [true, false, true]
    )
  })
})
