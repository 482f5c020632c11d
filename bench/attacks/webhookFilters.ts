/**
 * Measures what an account with the most filters (200 webhooks of 10,000 each, all different) costs a process that
 * starts: memory that it keeps, memory while it loads them, and time.
 */
import { randomBytes } from "node:crypto"
import { Effect, Layer } from "effect"
import { addressOfAccountId } from "../../src/spine/event/AccountId.ts"
import * as EmbeddedLog from "../../src/spine/log/embedded/EmbeddedLog.ts"
import { SecretBox } from "../../src/spine/store/secrets/SecretBox.ts"
import type { Benchmark, Figure } from "../support/Benchmark.ts"
import { startChild } from "../support/Child.ts"
import { databaseUrl } from "../support/kafka.ts"
import { storeLayer } from "../support/store.ts"
import type { Loaded } from "../support/webhookFiltersProgram.ts"
import { makeWebhooks } from "../support/webhooks.ts"

const WEBHOOKS = 200
const FILTERS = 10_000
/** Webhooks that are made at once: their records are one statement. */
const CHUNK = 10
const ID_BYTES = 20
const MIB = 2 ** 20
/** The heap of a small process. These webhooks must not fill it. */
const HEAP_MIB = 512
/** An address as text, its places in the index and in the webhook's list, and room to grow. */
const KEPT_TARGET = 6

const randomAddress = () => addressOfAccountId(randomBytes(ID_BYTES).toString("hex").toUpperCase())

const seed = (url: string, secretsKey: string) =>
  Effect.gen(function* () {
    for (let from = 0; from < WEBHOOKS; from += CHUNK) {
      const urls = Array.from({ length: CHUNK }, (_, i) => `https://customer-${from + i}.example/hook`)
      yield* makeWebhooks(urls, {
        filters: urls.map(() => Array.from({ length: FILTERS }, randomAddress))
      })
    }
  }).pipe(
    Effect.provide(
      Layer.mergeAll(SecretBox.layer, EmbeddedLog.layer).pipe(
        Layer.provideMerge(storeLayer({ DATABASE_URL: url, SECRETS_KEY: secretsKey }))
      )
    )
  )

const run = Effect.fnUntraced(function* (report: (figure: Figure) => void) {
  const url = yield* databaseUrl
  const secretsKey = randomBytes(32).toString("base64")
  yield* seed(url, secretsKey)
  const child = yield* startChild("webhookFiltersProgram.ts", [url, secretsKey])
  // Sent by that program.
  const { seconds, keptBytes, peakBytes } = (yield* child.ask()) as Loaded
  const name = "attacks.webhookFilters"
  report({
    name: `${name}.memory`,
    value: keptBytes / MIB,
    unit: "MiB",
    ratio: keptBytes / (WEBHOOKS * FILTERS * ID_BYTES),
    target: KEPT_TARGET,
    better: "lower"
  })
  report({
    name: `${name}.peak`,
    value: peakBytes / MIB,
    unit: "MiB",
    ratio: peakBytes / MIB / HEAP_MIB,
    target: 1,
    better: "lower"
  })
  report({ name: `${name}.load`, value: seconds, unit: "s", ratio: null, target: null, better: "lower" })
})

export const webhookFilters: Benchmark = {
  description: "memory of a process whose customers have as many webhooks and account filters as they may",
  target: "at most 6 times the 20 bytes an address, and 512 MiB while they are loaded",
  run
}
