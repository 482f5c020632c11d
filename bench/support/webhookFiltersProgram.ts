/**
 * Loads route's view of webhooks, from a database that another program has
 * prepared. `webhookFiltersProgram.ts DATABASE_URL SECRETS_KEY` reports how long that took and how much memory it uses.
 */
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { Effect, Layer } from "effect"
import * as EmbeddedLog from "../../src/spine/log/embedded/EmbeddedLog.ts"
import { RoutedWebhooks } from "../../src/spine/route/RoutedWebhooks.ts"
import { Outbox } from "../../src/spine/store/outbox/Outbox.ts"
import * as Sql from "../../src/spine/store/Sql.ts"
import { SecretBox } from "../../src/spine/store/secrets/SecretBox.ts"
import { endWithParent, send } from "./Child.ts"
import { settingsLayer } from "./store.ts"

export interface Loaded {
  readonly seconds: number
  /** How much memory the view keeps, and the largest size while it was loaded, both compared with the time before. */
  readonly keptBytes: number
  readonly peakBytes: number
}

const KIB = 1_024
const [databaseUrl = "", secretsKey = ""] = process.argv.slice(2)

setFlagsFromString("--expose-gc")
const collectGarbage = runInNewContext("gc") as () => void

const keptNow = () => {
  collectGarbage()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

const log = Layer.mergeAll(Outbox.layer, SecretBox.layer, EmbeddedLog.layer).pipe(
  Layer.provideMerge(Sql.layer({ command: "ledgerhook bench", owner: true })),
  Layer.provideMerge(settingsLayer({ DATABASE_URL: databaseUrl, SECRETS_KEY: secretsKey }))
)

const load = Effect.gen(function* () {
  const keptBefore = keptNow()
  const sizeBefore = process.memoryUsage.rss()
  const began = performance.now()
  // The scope of the program keeps the view alive, so that its memory is measured.
  const context = yield* Layer.build(RoutedWebhooks.layer)
  yield* Effect.flatMap(RoutedWebhooks, ({ upToDate }) => upToDate).pipe(Effect.provide(context))
  return {
    seconds: (performance.now() - began) / 1_000,
    keptBytes: keptNow() - keptBefore,
    peakBytes: process.resourceUsage().maxRSS * KIB - sizeBefore
  } satisfies Loaded
})

endWithParent()
await send(await Effect.runPromise(load.pipe(Effect.provide(log), Effect.scoped)))
