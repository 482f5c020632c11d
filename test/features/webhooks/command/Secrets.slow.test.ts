/**
 * `secrets rotate` as a real process: while a service delivers, killed half-way and run again, with keys in files and
 * in the environment. Also tests the errors of `doctor` and `start` for keys that do not match.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result, type Scope } from "effect"
import { SqlClient } from "effect/sql"
import { expectedEventIds } from "../../../../src/features/simulator/Chain.ts"
import { Limits } from "../../../../src/spine/config/Limits.ts"
import * as Sql from "../../../../src/spine/store/Sql.ts"
import { makeSecretBox } from "../../../../src/spine/store/secrets/SecretBox.ts"
import { makeKey, previousKeyFile, readKeys } from "../../../../src/spine/store/secrets/SecretKeys.ts"
import { makeReceiver, signatureHolds } from "../../../support/deliver/receiver.ts"
import { apiClient, createWebhook } from "../../../support/http/apiClient.ts"
import { makeSimulatedLedger } from "../../../support/ledger/simulatedLedger.ts"
import { type Ended, runProgram, startProgram } from "../../../support/program/program.ts"
import { startService } from "../../../support/program/serviceProcess.ts"
import { settingsLayer, testSettings } from "../../../support/program/settings.ts"
import { insertAccount, insertWebhook } from "../../../support/store/rows.ts"

const ADMIN_KEY = "svc_live_0123456789abcdefghijklmnopqrstuv"
const base64 = (byte: number) => Buffer.alloc(32, byte).toString("base64")
const OLD = { SECRETS_KEY: base64(1) }
const BOTH = { SECRETS_KEY: base64(2), SECRETS_KEY_PREVIOUS: base64(1) }
const NEW = { SECRETS_KEY: base64(2) }

type Environment = Readonly<Record<string, string>>

const temporaryFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "ledgerhook-rotate-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

const boxOf = (environment: Environment) => {
  const latest = () => readKeys(testSettings({ SECRETS_KEY: "", ...environment }))
  return makeSecretBox(Result.getOrThrow(latest()), latest)
}

interface Folder {
  readonly environment: Environment
  readonly run: (keys: Environment, ...args: ReadonlyArray<string>) => Ended
}

/** A store whose webhooks have their places as secrets, encrypted with `keys`. Its server runs meanwhile. */
const inFolder = <A, E>(
  webhooks: number,
  keys: Environment,
  use: (folder: Folder) => Effect.Effect<A, E, SqlClient.SqlClient | Scope.Scope>
) =>
  Effect.gen(function* () {
    const cwd = yield* temporaryFolder
    const environment = { DATA_DIR: join(cwd, "data"), XRPL_MAINNET_URLS: "", PORT: "0" }
    yield* Effect.gen(function* () {
      yield* Effect.fromResult(makeKey(testSettings({ SECRETS_KEY: "", ...environment, ...keys })))
      yield* insertAccount("acct_1")
      const { seal } = boxOf({ ...environment, ...keys })
      for (let i = 0; i < webhooks; i++) yield* insertWebhook("acct_1", seal(`${i}`))
      yield* use({
        environment,
        run: (more, ...args) => runProgram(args, { cwd, environment: { ...environment, ...more } })
      })
    }).pipe(
      Effect.provide(Sql.layer({ command: "test", owner: false })),
      Effect.provide(settingsLayer(environment))
    )
  })

const rotated = ({ code, stdout, stderr }: Ended) => {
  assert.deepStrictEqual([code, stderr], [0, ""])
  return JSON.parse(stdout)
}

/** The stored secrets, decrypted and sorted as text. */
const opened = (environment: Environment) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { open } = boxOf(environment)
    const rows = yield* sql<{ readonly sealed_secret: string }>`SELECT sealed_secret FROM webhooks`
    return rows.map(({ sealed_secret }) => Result.getOrElse(open(sealed_secret), () => "?")).sort()
  })

const places = (count: number) => Array.from({ length: count }, (_, i) => `${i}`).sort()

const keyFiles = ["secrets.key", "secrets.key.previous"]

const TIMEOUT = 180_000

describe("secrets rotate, with a key file", () => {
  it.live(
    "succeeds beside a running service without failed deliveries, and nothing needs the old key afterwards",
    () =>
      Effect.gen(function* () {
        const cwd = yield* temporaryFolder
        const ledger = yield* makeSimulatedLedger({
          seed: 7,
          networkId: 0,
          transactionsPerLedger: 10,
          hashing: "digest"
        })
        const receiver = yield* makeReceiver()
        const environment = {
          DATA_DIR: join(cwd, "data"),
          ADMIN_KEY,
          XRPL_MAINNET_URLS: ledger.url,
          XRPL_MAINNET_START: String((yield* ledger.head).header.ledger_index),
          DELIVERY_ALLOW_HTTP: "true",
          DELIVERY_ALLOW_PRIVATE_ADDRESSES: "true",
          LOG_LEVEL: "error"
        }
        const secrets = new Map<string, string>()
        const register = Effect.fnUntraced(function* (apiUrl: string) {
          const fields = { url: receiver.url, event_types: ["*"] }
          const { id, secret } = yield* createWebhook(apiClient(apiUrl, ADMIN_KEY), fields)
          secrets.set(id, secret)
        })
        let expected = 0
        /** Closes another ledger. Each of its events arrives at every webhook, signed with the webhook's secret. */
        const deliver = Effect.gen(function* () {
          expected += expectedEventIds(yield* ledger.close).length * secrets.size
          yield* receiver.until(({ length }) => length >= expected)
          for (const one of receiver.received) {
            assert.isTrue(signatureHolds(secrets.get(one.event.webhook_id)!, one))
          }
        })
        const rotate = () => rotated(runProgram(["secrets", "rotate"], { cwd, environment }))

        const service = yield* startService(environment)
        yield* register(service.apiUrl)
        yield* deliver
        assert.strictEqual(rotate().resealed, 1)
        yield* deliver
        yield* register(service.apiUrl)
        yield* deliver
        assert.strictEqual(rotate().resealed, 2)
        yield* deliver

        const doctor = runProgram(["doctor", "--json"], { cwd, environment: { ...environment, PORT: "0" } })
        const checks: ReadonlyArray<{ readonly check: string; readonly detail: string }> = JSON.parse(
          doctor.stdout
        ).checks
        assert.strictEqual(
          checks.find(({ check }) => check === "secrets")?.detail,
          "the secrets of all 2 webhooks can be decrypted"
        )
        yield* service.kill
        const refused = runProgram(["start"], { cwd, environment: { ...environment, ...NEW } })
        assert.strictEqual(refused.code, 1)
        assert.match(refused.stderr, /^ledgerhook: SECRETS_KEY: webhook secrets are sealed with key .+\n$/)
        rmSync(previousKeyFile(environment.DATA_DIR))
        yield* startService(environment)
        yield* deliver
      }),
    TIMEOUT
  )

  it.live(
    "loses no secret if it is killed half-way, and the next run completes it",
    () => {
      const webhooks = 2 * Limits.largeRows + 1
      return inFolder(
        webhooks,
        {},
        Effect.fnUntraced(function* ({ environment, run }) {
          const sql = yield* SqlClient.SqlClient
          const before = readFileSync(join(environment["DATA_DIR"]!, "secrets.key"), "utf8")
          const sealedAnew = sql`
            SELECT 1 FROM webhooks GROUP BY split_part(sealed_secret, '.', 2) HAVING count(*) = ${Limits.largeRows}`
          yield* Effect.gen(function* () {
            // The second batch waits for this row.
            yield* sql`SELECT 1 FROM webhooks ORDER BY id DESC OFFSET 1 LIMIT 1 FOR UPDATE`
            yield* Effect.scoped(
              Effect.gen(function* () {
                yield* startProgram(["secrets", "rotate"], { cwd: environment["DATA_DIR"]!, environment })
                while ((yield* sealedAnew).length === 0) yield* Effect.yieldNow
              })
            )
          }).pipe(sql.withTransaction)
          assert.strictEqual(readFileSync(previousKeyFile(environment["DATA_DIR"]!), "utf8"), before)
          assert.deepStrictEqual(yield* opened(environment), places(webhooks))

          assert.strictEqual(rotated(run({}, "secrets", "rotate")).resealed, webhooks)
          assert.deepStrictEqual(yield* opened(environment), places(webhooks))
          rmSync(previousKeyFile(environment["DATA_DIR"]!))
          assert.deepStrictEqual(yield* opened(environment), places(webhooks))
        })
      )
    },
    TIMEOUT
  )

  it.live(
    "keeps a key that a stored secret names, even if that secret was altered and cannot be decrypted",
    () =>
      inFolder(
        2,
        {},
        Effect.fnUntraced(function* ({ environment, run }) {
          const sql = yield* SqlClient.SqlClient
          const [{ id } = { id: "" }] = yield* sql<{ readonly id: string }>`
            UPDATE webhooks SET sealed_secret = left(sealed_secret, -4) || 'AAAA'
            WHERE id = (SELECT min(id) FROM webhooks) RETURNING id`
          const keys = () =>
            keyFiles.map((file) => readFileSync(join(environment["DATA_DIR"]!, file), "utf8"))
          const refused = () => {
            const { code, stderr } = run({}, "secrets", "rotate")
            assert.strictEqual(code, 1)
            assert.include(stderr, `changed in the database: ${id};`)
          }
          refused()
          const kept = keys()
          refused()
          assert.deepStrictEqual(keys(), kept)
          assert.strictEqual((yield* opened(environment)).filter((secret) => secret === "?").length, 1)
        })
      ),
    TIMEOUT
  )

  it.live(
    "runs only once at a time",
    () =>
      inFolder(
        1,
        {},
        Effect.fnUntraced(function* ({ environment, run }) {
          const sql = yield* SqlClient.SqlClient
          const { code, stderr } = yield* Effect.gen(function* () {
            yield* sql`SELECT pg_advisory_xact_lock(hashtextextended('ledgerhook.secrets-rotation', 0))`
            return run({}, "secrets", "rotate")
          }).pipe(sql.withTransaction)
          assert.strictEqual(code, 1)
          assert.match(
            stderr,
            /^ledgerhook: another `ledgerhook secrets rotate` is running on this database.+\n$/
          )
          assert.isFalse(existsSync(previousKeyFile(environment["DATA_DIR"]!)))
        })
      ),
    TIMEOUT
  )
})

describe("secrets rotate, with keys of the environment", () => {
  it.live(
    "re-encrypts secrets from SECRETS_KEY_PREVIOUS to SECRETS_KEY, and doctor reports before and after it",
    () =>
      inFolder(
        3,
        OLD,
        Effect.fnUntraced(function* ({ environment, run }) {
          const doctor = (keys: Environment) => {
            const { stdout } = run(keys, "doctor", "--json")
            const { status, detail } = JSON.parse(stdout).checks.find(
              ({ check }: { readonly check: string }) => check === "secrets"
            )
            return [status, detail]
          }
          assert.deepStrictEqual(doctor(NEW), [
            "problem",
            "the secrets of 3 of 3 webhooks cannot be decrypted"
          ])
          assert.deepStrictEqual(doctor(BOTH), [
            "warning",
            "the secrets of 3 of 3 webhooks are encrypted with a previous key"
          ])
          const { current_key, previous_keys, resealed, note } = rotated(run(BOTH, "secrets", "rotate"))
          assert.strictEqual(resealed, 3)
          assert.match(note, /^SECRETS_KEY_PREVIOUS may be unset /)
          assert.notStrictEqual(current_key, previous_keys[0])
          assert.strictEqual(rotated(run(BOTH, "secrets", "rotate")).resealed, 0)
          assert.deepStrictEqual(yield* opened({ ...environment, ...NEW }), places(3))
          assert.deepStrictEqual(doctor(NEW), ["ok", "the secrets of all 3 webhooks can be decrypted"])
          assert.isFalse(existsSync(join(environment["DATA_DIR"]!, "secrets.key")))
        })
      ),
    TIMEOUT
  )

  it.live(
    "reports the missing key, and changes nothing",
    () =>
      inFolder(
        1,
        OLD,
        Effect.fnUntraced(function* ({ environment, run }) {
          const refused: ReadonlyArray<readonly [keys: Environment, code: number, said: RegExp]> = [
            [NEW, 2, /^ledgerhook: SECRETS_KEY_PREVIOUS is unset; set it to the current key and .+\n$/],
            [
              { ...NEW, SECRETS_KEY_PREVIOUS: base64(2) },
              2,
              /^ledgerhook: SECRETS_KEY_PREVIOUS is the same as SECRETS_KEY; .+\n$/
            ],
            [
              { ...NEW, SECRETS_KEY_PREVIOUS: base64(3) },
              1,
              /^ledgerhook: SECRETS_KEY: webhook secrets are sealed with key [0-9a-f]{8}, and given is .+\n$/
            ]
          ]
          for (const [keys, code, said] of refused) {
            const ended = run(keys, "secrets", "rotate")
            assert.deepStrictEqual([ended.code, ended.stdout], [code, ""])
            assert.match(ended.stderr, said)
            assert.notInclude(ended.stderr, base64(2))
          }
          assert.deepStrictEqual(yield* opened({ ...environment, ...OLD }), places(1))
        })
      ),
    TIMEOUT
  )
})
