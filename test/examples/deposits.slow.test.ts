/**
 * examples/deposits, as its README says: the example books a simulated day of an account from the real service, is
 * killed (kill -9) twenty times meanwhile, and ends with the books that the raw transactions and their metadata give.
 */
import { spawnSync } from "node:child_process"
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { PgClient } from "@effect/sql-pg"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Redacted } from "effect"
import { Reactivity } from "effect/reactivity"
import { type ClosedLedger, FIRST_LEDGER_INDEX, makeChain } from "../../src/features/simulator/Chain.ts"
import { unixMsToRipple } from "../../src/spine/event/Ledger.ts"
import { freePort } from "../kafka/javaServer.ts"
import { apiClient, createWebhook, waitWhileChanging } from "../support/http/apiClient.ts"
import { makeSimulatedLedger } from "../support/ledger/simulatedLedger.ts"
import { makeFolder } from "../support/program/makeFolder.ts"
import { startProcess, startService } from "../support/program/serviceProcess.ts"
import { pythonEnvironment } from "../support/servers/python.ts"
import { ownDatabase } from "../support/store/ownDatabase.ts"
import { expectedBooks, units } from "./expectedBooks.ts"

const ADMIN_KEY = "svc_live_0123456789abcdefghijklmnopqrstuv"
const EXAMPLE = "examples/deposits"
const KILLS = 20

// The account of this seed gets payments, partial ones too, from itself as well, checks, escrows and a deleted account's XRP.
const day = { seed: 18, transactionsPerLedger: 25, hashing: "digest" } as const
const DAY_START_MS = Date.parse("2026-01-15T00:00:00Z")
const LEDGERS = 15 * KILLS
const STEP_MS = 86_400_000 / LEDGERS

/** The same ledgers as those of the simulated server, known before the service reads them. */
const plan = (): ReadonlyArray<ClosedLedger> => {
  const at = (n: number) => unixMsToRipple(DAY_START_MS + n * STEP_MS)
  const chain = makeChain({ ...day, firstLedgerIndex: FIRST_LEDGER_INDEX, firstCloseTime: at(0) })
  return Array.from({ length: LEDGERS }, (_, n) => chain.close(at(n + 1)))
}

/** The account that gets the most payments. */
const busiest = (ledgers: ReadonlyArray<ClosedLedger>): string => {
  const payments = new Map<string, number>()
  for (const { tx } of ledgers.flatMap(({ transactions }) => transactions)) {
    const to = String(tx["Destination"])
    if (tx["TransactionType"] === "Payment") payments.set(to, (payments.get(to) ?? 0) + 1)
  }
  return [...payments].sort(([, a], [, b]) => b - a)[0]![0]
}

const folder = mkdtempSync(join(tmpdir(), "ledgerhook-deposits-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
cpSync(EXAMPLE, folder, { recursive: true })
const inFolder = join(folder, "typescript")
const run = (command: string, ...args: ReadonlyArray<string>) =>
  spawnSync(command, args, { cwd: inFolder, encoding: "utf8" })
const missingNpm = run("npm", "install").status === 0 ? undefined : "npm registry"
const tsc = resolve("node_modules/.bin/tsc")
if (missingNpm === undefined) {
  // The archive's build is in one folder for all tests, so this one builds its own.
  const built = join(inFolder, "node_modules/ledgerhook-receiver")
  run(tsc, "-p", resolve("packages/receiver-js"), "--outDir", join(built, "dist/esm"))
  cpSync("packages/receiver-js/package.json", join(built, "package.json"))
}

const { missing: missingPython, python } = pythonEnvironment(
  readFileSync(`${EXAMPLE}/python/requirements.txt`, "utf8").trim()
)

const languages = [
  {
    language: "TypeScript",
    missing: missingNpm,
    command: process.execPath,
    file: join(inFolder, "deposits.ts"),
    environment: {}
  },
  {
    language: "Python",
    missing: missingPython,
    command: python,
    file: join(folder, "python", "deposits.py"),
    environment: { PYTHONPATH: resolve("packages/receiver-python/src"), PYTHONDONTWRITEBYTECODE: "1" }
  }
]

/** Sums in millionths. */
const summed = (rows: ReadonlyArray<readonly [key: string, amount: string]>) => {
  const sums = new Map<string, bigint>()
  for (const [key, amount] of rows) sums.set(key, (sums.get(key) ?? 0n) + units(amount))
  return sums
}

const booksADay = ({ command, environment, file }: (typeof languages)[number]) =>
  Effect.gen(function* () {
    const ledgers = plan()
    const account = busiest(ledgers)
    const expected = expectedBooks(ledgers, account)
    const tags = new Set(expected.deposits.flatMap(({ destination_tag: tag }) => tag ?? []))
    const assets = new Set(expected.deposits.map(({ asset }) => asset))
    // Every other tag is a customer's, and all assets but one are accepted.
    const customers = [...tags].filter((_, n) => n % 2 === 0)
    const accepted = [...assets].slice(0, -1)
    assert.isAbove(expected.deposits.length, 3 * KILLS)

    let ledgerMs = DAY_START_MS
    const clock: Clock.Clock = { ...(yield* Clock.Clock), currentTimeMillisUnsafe: () => ledgerMs }
    const ledger = yield* makeSimulatedLedger({ ...day, networkId: 0 }).pipe(
      Effect.provideService(Clock.Clock, clock)
    )
    const service = yield* startService({
      DATA_DIR: yield* makeFolder,
      ADMIN_KEY,
      XRPL_MAINNET_URLS: ledger.url,
      XRPL_MAINNET_START: String(FIRST_LEDGER_INDEX),
      DELIVERY_ALLOW_HTTP: "true",
      DELIVERY_ALLOW_PRIVATE_ADDRESSES: "true",
      DELIVERY_RETRY_DELAYS: "200ms,500ms,1s,2s,2s,5s,5s,10s,10s"
    })
    const client = apiClient(service.apiUrl, ADMIN_KEY)
    const port = yield* Effect.promise(freePort)
    const webhook = yield* createWebhook(client, {
      url: `http://127.0.0.1:${port}/`,
      event_types: ["*"],
      account_filters: [account],
      include: ["balance_changes"]
    })

    const { url } = yield* ownDatabase
    const sql = yield* PgClient.make({ url: Redacted.make(url), maxConnections: 1 })
    const settings = {
      ...environment,
      ADDRESS: account,
      DATABASE_URL: url,
      LEDGERHOOK_SECRET: webhook.secret,
      PORT: String(port)
    }
    const start = startProcess(settings, /Listening on/, command, [file])
    let example = yield* start
    let kills = 0
    for (const tag of customers) yield* sql`INSERT INTO customers VALUES (${tag}, 'a customer')`
    for (const asset of accepted) yield* sql`INSERT INTO accepted_assets VALUES (${asset})`

    const progress = Effect.gen(function* () {
      const [row] = yield* sql<{ booked: number }>`SELECT count(*)::int AS booked FROM deposits`
      const { body } = yield* client.call("GET", `/v1/webhooks/${webhook.id}/progress`)
      return {
        booked: row!.booked,
        completeThrough: Number(body["complete_through"]),
        waiting: body["waiting"]
      }
    })
    const part = LEDGERS / KILLS
    for (let first = 0; first < LEDGERS; first += part) {
      for (const planned of ledgers.slice(first, first + part)) {
        ledgerMs += STEP_MS
        assert.deepStrictEqual(yield* ledger.close, planned)
      }
      const lastBefore = FIRST_LEDGER_INDEX + first
      const before = expected.deposits.filter(({ ledger_index }) => ledger_index <= lastBefore).length
      // All deposits before this part and one of it are booked, others are on their way.
      yield* waitWhileChanging(progress, (now) => now.booked > before, "60 seconds")
      yield* example.kill
      kills++
      example = yield* start
    }
    assert.strictEqual(kills, KILLS)
    const last = FIRST_LEDGER_INDEX + LEDGERS
    yield* waitWhileChanging(progress, ({ completeThrough }) => completeThrough === last, "60 seconds")
    const { body: stats } = yield* client.call("GET", "/v1/deliveries/stats")
    assert.strictEqual(Number(stats["failed"]), 0)
    assert.isAbove(Number(stats["attempts_failed"]), 0, "no kill met an event")

    type Row = Readonly<Record<string, string | null>>
    const rows = yield* sql<Row>`
      SELECT tx_hash, ledger_index::int, asset, amount::text, destination_tag::float8, customer::float8
      FROM deposits ORDER BY ledger_index, tx_hash`
    const inOrder = expected.deposits.toSorted((a, b) =>
      a.ledger_index === b.ledger_index ? (a.tx_hash < b.tx_hash ? -1 : 1) : a.ledger_index - b.ledger_index
    )
    const customerOf = ({ asset, destination_tag: tag }: (typeof inOrder)[number]) =>
      tag !== null && customers.includes(tag) && accepted.includes(asset) ? tag : null
    assert.deepStrictEqual<unknown>(
      rows,
      inOrder.map((one) => ({ ...one, customer: customerOf(one) }))
    )
    const credited = inOrder.filter((one) => customerOf(one) !== null)
    assert.isTrue(credited.length > 0 && credited.length < inOrder.length)
    const balances = yield* sql<{ customer: string; asset: string; amount: string }>`
      SELECT customer::text, asset, trim_scale(amount)::text AS amount FROM balances`
    assert.deepStrictEqual(
      summed(balances.map(({ amount, asset, customer }) => [`${customer} ${asset}`, amount])),
      summed(credited.map((one) => [`${customerOf(one)} ${one.asset}`, one.amount]))
    )

    // As docs/deposits.md says: the opening balance, and what no event told. That can be fees only.
    const told = new Set(
      (yield* sql<{ tx_hash: string }>`SELECT tx_hash FROM account_changes`).map(({ tx_hash }) => tx_hash)
    )
    const untold = expected.changedBy.filter(({ tx_hash }) => !told.has(tx_hash))
    assert.isNotEmpty(untold)
    for (const { onlyFee, tx_hash } of untold) {
      assert.isDefined(onlyFee, tx_hash)
      yield* sql`INSERT INTO account_changes VALUES ('mainnet', ${tx_hash}, ${account}, 'XRP', ${onlyFee})`
    }
    for (const [asset, amount] of expected.opening)
      yield* sql`INSERT INTO account_changes VALUES ('mainnet', 'opening', ${account}, ${asset}, ${amount}::numeric / 1000000)`
    const own = yield* sql<{ asset: string; amount: string }>`
      SELECT asset, trim_scale(amount)::text AS amount FROM account_balances`
    assert.deepStrictEqual(summed(own.map(({ amount, asset }) => [asset, amount])), expected.closing)
  }).pipe(Effect.scoped, Effect.provide(Reactivity.layer))

describe("examples/deposits", () => {
  for (const one of languages) {
    const { language, missing } = one
    const title = `books a simulated day in ${language}, killed ${KILLS} times, and ends with the ledger's balances`
    it.live.skipIf(missing !== undefined)(
      missing === undefined ? title : `${title} (no ${missing} here)`,
      () => booksADay(one),
      600_000
    )
  }

  it.skipIf(missingNpm !== undefined)(
    `has types that fit the receiver package (needs the npm registry)`,
    () => {
      const types = ["--types", "node", "--typeRoots", resolve("node_modules/@types")]
      const options = ["--ignoreConfig", "--noEmit", "--strict", "--module", "nodenext", "--target", "es2022"]
      const { status, stdout } = run(tsc, ...options, ...types, "deposits.ts")
      assert.strictEqual(status, 0, stdout)
    }
  )
})
