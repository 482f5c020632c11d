/** The embedded store of a service, in a temporary folder that is deleted with the scope. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Layer } from "effect"
import { settingsOfFeatures } from "../../src/app/Settings.ts"
import { keepTotals } from "../../src/features/statistics/DeliveryTotals.ts"
import { type Environment, loadSettings, Settings } from "../../src/spine/config/Config.ts"
import * as Sql from "../../src/spine/store/Sql.ts"

/** Settings with a temporary folder that is deleted with the scope. */
export const settingsLayer = (environment: Environment) =>
  Layer.effect(
    Settings,
    Effect.gen(function* () {
      const folder = yield* Effect.acquireRelease(
        Effect.sync(() => mkdtempSync(join(tmpdir(), "ledgerhook-bench-"))),
        (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
      )
      const loaded = loadSettings(
        {
          DATA_DIR: folder,
          XRPL_MAINNET_URLS: "",
          DELIVERY_ALLOW_HTTP: "true",
          DELIVERY_ALLOW_PRIVATE_ADDRESSES: "true",
          ...environment
        },
        settingsOfFeatures
      )
      if ("length" in loaded) throw new Error(loaded.map(({ message }) => message).join("\n"))
      return loaded
    })
  )

/** Settings and a migrated database. A fiber keeps its totals up to date, as one process of every service does. */
export const storeLayer = (environment: Environment = {}) =>
  Layer.effectDiscard(Effect.forkScoped(keepTotals)).pipe(
    Layer.provideMerge(Sql.layer({ command: "ledgerhook bench", owner: true })),
    Layer.provideMerge(settingsLayer(environment))
  )
