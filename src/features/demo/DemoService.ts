/**
 * Sets up the demo: the simulated ledger, the receiver, the whole service in a temporary folder, and the webhooks,
 * which are registered through the API. Everything is removed when the scope closes.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Clock, Context, Effect, Layer, Queue } from "effect"
import { SqlClient } from "effect/sql"
import { Settings } from "../../spine/config/Config.ts"
import { newKeyValue } from "../../spine/domain/ApiKey.ts"
import { signInUrl } from "../../spine/domain/Session.ts"
import { apiPart, Health } from "../../spine/observe/Health.ts"
import { Invocation, settingsOf } from "../../terminal/Invocation.ts"
import { withService } from "../../terminal/service/WithService.ts"
import { WholeService } from "../../terminal/WholeService.ts"
import { AccountStore } from "../accounts/AccountStore.ts"
import { ApiKeyStore } from "../accounts/ApiKeyStore.ts"
import { SessionStore } from "../accounts/SessionStore.ts"
import type { ClosedLedger } from "../simulator/Chain.ts"
import { ManualClosing } from "../simulator/SimulatedSource.ts"
import { makeDemoReceiver, type Sample, samples, sampleWebhooks } from "./DemoReceiver.ts"

/** Fixed, so that every run has the same ledgers. */
const SEED = 20_261_121
/** About 25 events: enough for a picture with all families, few enough for a small machine. */
const TRANSACTIONS_PER_LEDGER = 30

const temporaryFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "ledgerhook-demo-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

/** HOST, PORT and LOG_LEVEL are taken from the environment; all other settings are fixed. */
const demoSettings = Effect.fnUntraced(function* (dataDir: string) {
  const { environment } = yield* Invocation
  return yield* settingsOf({
    HOST: environment["HOST"],
    PORT: environment["PORT"]?.trim() || "0",
    LOG_LEVEL: environment["LOG_LEVEL"],
    DATA_DIR: dataDir,
    XRPL_MAINNET_URLS: "",
    ADMIN_KEY: newKeyValue("live"),
    DELIVERY_ALLOW_HTTP: "true",
    DELIVERY_ALLOW_PRIVATE_ADDRESSES: "true"
  })
})

export const startDemo = Effect.gen(function* () {
  const dataDir = yield* temporaryFolder
  const settings = yield* demoSettings(dataDir)
  const wanted = yield* Queue.unbounded<void>()
  const closed = yield* Queue.unbounded<ClosedLedger>()
  const close = Effect.andThen(Queue.offer(wanted, undefined), Queue.take(closed))
  const manual = Layer.succeed(ManualClosing, {
    seed: SEED,
    transactionsPerLedger: TRANSACTIONS_PER_LEDGER,
    wanted: Queue.take(wanted),
    closed: (ledger) => Queue.offer(closed, ledger)
  })
  const service = yield* WholeService
  // The whole service has every store.
  const context = yield* Layer.build(
    service("ledgerhook demo").pipe(Layer.provide([Layer.succeed(Settings, settings), manual]))
  )

  const now = yield* Clock.currentTimeMillis
  const { accountId } = yield* Context.getUnsafe(context, AccountStore).ensureFirstAccount({}, now)
  const key = yield* Context.getUnsafe(context, ApiKeyStore).create(
    { accountId, name: "demo", scopes: ["admin"], environment: "test" },
    now
  )
  if (key === undefined) return yield* Effect.die(new Error("a new key's value was taken"))
  const health = yield* Context.getUnsafe(context, Health).get(apiPart)
  const apiUrl = String(health?.facts?.["address"])
  const link = yield* Context.getUnsafe(context, SessionStore).makeLink(key.id, "test", now)

  const receiver = yield* makeDemoReceiver
  const webhookIds = new Map<string, Sample>()
  for (const sample of samples) {
    const { id, secret } = yield* withService(
      async () => (await import("../webhooks/WebhooksContract.ts")).webhooksApi,
      (api) => api.webhooks.create({ payload: { url: receiver.urlOf(sample), ...sampleWebhooks[sample] } }),
      { url: apiUrl, key: key.value }
    )
    webhookIds.set(id, sample)
    receiver.secrets.set(sample, secret)
  }
  // The first ledger is empty.
  yield* close
  return {
    close,
    receiver,
    apiUrl,
    key: key.value,
    signInUrl: signInUrl(apiUrl, link),
    webhookIds,
    sql: Context.getUnsafe(context, SqlClient.SqlClient)
  }
})

export type DemoParts = Effect.Success<typeof startDemo>
