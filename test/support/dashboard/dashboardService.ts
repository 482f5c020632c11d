/**
 * The service as an operator runs it, for tests of the dashboard: a process whose mainnet is a simulated ledger that
 * the test closes, and whose testnet plays itself while a webhook of the test key is active. It has a live and a test
 * account key, and makes keys with fewer scopes.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Context, Effect, Layer, type Scope } from "effect"
import type { Browser, BrowserContextOptions } from "playwright-core"
import type { ClosedLedger } from "../../../src/features/simulator/Chain.ts"
import type { Scope as KeyScope } from "../../../src/spine/domain/ApiKey.ts"
import { networkIds } from "../../../src/spine/event/Network.ts"
import { apiClient } from "../http/apiClient.ts"
import { makeSimulatedLedger } from "../ledger/simulatedLedger.ts"
import { startService } from "../program/serviceProcess.ts"
import { makeBrowser, type OpenPage, openPage } from "./browser.ts"

const ADMIN_KEY = "svc_live_0123456789abcdefghijklmnopqrstuv"
const SEED = 20_261_125

type KeyEnvironment = "live" | "test"

export class DashboardService extends Context.Service<
  DashboardService,
  {
    /** The address of the API and of the dashboard. */
    readonly url: string
    /** The path of the link that the first start prints. */
    readonly firstLink: string
    readonly liveKey: string
    readonly testKey: string
    /** Creates a key of the same account. */
    readonly keyWith: (environment: KeyEnvironment, scopes: ReadonlyArray<KeyScope>) => Effect.Effect<string>
    /** Closes mainnet's next ledger. */
    readonly closeLedger: Effect.Effect<ClosedLedger>
    readonly browser: Browser
    /** Opens a path of the dashboard in a page of its own. */
    readonly open: (
      path: string,
      options?: BrowserContextOptions
    ) => Effect.Effect<OpenPage, never, Scope.Scope>
  }
>()("ledgerhook/test/DashboardService") {}

const temporaryFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "ledgerhook-browser-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

/** `environment` is added to the settings of the service. */
export const dashboardService = (environment: Readonly<Record<string, string>> = {}) =>
  Layer.effect(
    DashboardService,
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder
      const ledger = yield* makeSimulatedLedger({
        seed: SEED,
        networkId: networkIds.mainnet,
        transactionsPerLedger: 10
      })
      const { apiUrl: url, signInPath } = yield* startService({
        DATA_DIR: dataDir,
        ADMIN_KEY,
        XRPL_MAINNET_URLS: ledger.url,
        DELIVERY_ALLOW_HTTP: "true",
        DELIVERY_ALLOW_PRIVATE_ADDRESSES: "true",
        ...environment
      })
      const admin = apiClient(url, ADMIN_KEY)
      const keyWith = (environment: KeyEnvironment, scopes: ReadonlyArray<KeyScope>) =>
        admin.call("POST", "/v1/api-keys", { name: scopes.join(" "), environment, scopes }).pipe(
          Effect.flatMap(({ status, body }) =>
            status === 201
              ? Effect.succeed(String(body["key"]))
              : Effect.fail(new Error(`POST /v1/api-keys: ${status} ${JSON.stringify(body)}`))
          ),
          Effect.orDie
        )
      const browser = yield* makeBrowser
      return {
        url,
        firstLink: signInPath!,
        liveKey: ADMIN_KEY,
        testKey: yield* keyWith("test", ["admin"]),
        keyWith,
        closeLedger: ledger.close,
        browser,
        open: (path, options) => openPage(browser, url + path, options)
      }
    })
  )
