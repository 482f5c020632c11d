/**
 * A store fixture: a backup that the program of one version made of a store with rows of every kind, and a list of what
 * is in it. `npm run store-fixture` makes it, and test/upgrade.slow.test.ts opens each with the present program.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import type { TakenLedger } from "../../../src/spine/ledger/servers/LedgerSource.ts"
import type { NewRecord } from "../../../src/spine/log/Log.ts"
import type { SchemaList } from "./schema.ts"

const FOLDER = resolve(import.meta.dirname, "../../fixtures/stores")

/** An answer of the API that every later version must give too. It may have more fields. */
export interface KeptAnswer {
  readonly key: "live" | "test"
  readonly path: string
  readonly body: Readonly<Record<string, unknown>>
}

export interface StoreList {
  readonly version: string
  readonly created_at: string
  readonly keys: { readonly live: string; readonly test: string }
  /** The newest ledger of mainnet, and the first of the service's own. */
  readonly mainnet: { readonly first: number; readonly last: TakenLedger }
  readonly answers: ReadonlyArray<KeptAnswer>
  /** The number of deliveries with each status. */
  readonly deliveries: Readonly<Record<string, number>>
  /** What must happen after the upgrade. */
  readonly unfinished: {
    /** Active webhooks of mainnet that want every event. The last one's change is not published yet. */
    readonly webhooks: ReadonlyArray<string>
    readonly disabledWebhook: string
    /** Deliveries that wait for their next attempt, and those that wait while their webhook is disabled. */
    readonly retrying: ReadonlyArray<string>
    readonly waiting: ReadonlyArray<string>
    readonly jobs: ReadonlyArray<string>
    /** The cause of a mail that is not sent yet. */
    readonly mail: string
  }
  /** The number of rows of each table. */
  readonly rows: Readonly<Record<string, number>>
  readonly tables: SchemaList
  /** The first records of each topic, as every adapter of the log has them. */
  readonly records: ReadonlyArray<Required<Pick<NewRecord, "topic" | "key" | "value" | "headers">>>
}

export const backupFile = (version: string): string => join(FOLDER, `${version}.backup`)
export const listFile = (version: string): string => join(FOLDER, `${version}.json`)

/** The versions that have a fixture. */
export const fixtureVersions = (): ReadonlyArray<string> =>
  !existsSync(FOLDER)
    ? []
    : readdirSync(FOLDER)
        .filter((name) => name.endsWith(".json"))
        .map((name) => name.slice(0, -".json".length))

/** The first version whose stores this program upgrades. Older ones are upgraded by that version first. */
const UPGRADABLE_SINCE = "0.3.0"

export const byNumber = new Intl.Collator("en", { numeric: true }).compare

export const upgradableVersions = (): ReadonlyArray<string> =>
  fixtureVersions().filter((version) => byNumber(version, UPGRADABLE_SINCE) >= 0)

export const storeList = (version: string): StoreList => JSON.parse(readFileSync(listFile(version), "utf8"))
