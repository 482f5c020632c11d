/** `ledger record` writes files that `ledger detect` reads, only whole ones, and continues after an interruption. */
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { recordLedgers } from "../../../src/features/ledgerTools/Record.ts"
import { makeRecordedReader } from "../../../src/features/ledgerTools/RecordedData.ts"
import type { Network } from "../../../src/spine/event/Network.ts"
import { Invocation } from "../../../src/terminal/Invocation.ts"
import { chain } from "../../support/ledger/chain.ts"
import { eventuallyAdvancing } from "../../support/ledger/ingesting.ts"
import { rippledServer } from "../../support/ledger/rippledServer.ts"
import { unlistable } from "../../support/ledger/unlistable.ts"

const Live = Layer.merge(
  NodeServices.layer,
  Layer.succeed(Invocation, { environment: {}, stdoutTerminal: false, stderrTerminal: false })
)

const temporaryFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "ledgerhook-record-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

const serving = Effect.fnUntraced(function* (from: number, to: number) {
  const server = yield* rippledServer()
  server.serve(chain(from, to))
  server.close(to)
  return server
})

const record = (url: string, folder: string, from: number, to: number, network: Network = "mainnet") =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(recordLedgers({ network, from, to, url, folder }))
    yield* eventuallyAdvancing(Effect.sync(() => fiber.pollUnsafe() !== undefined))
    return yield* Fiber.join(fiber)
  }).pipe(Effect.provide(Live))

const read = (folder: string, index: number) => readFileSync(join(folder, `mainnet-${index}.json`), "utf8")

const asked = (requests: ReadonlyArray<string>) => requests.filter((request) => request.startsWith("ledger "))

describe("ledger record", () => {
  it.effect("writes one file each, which `ledger detect` reads", () =>
    Effect.gen(function* () {
      const folder = join(yield* temporaryFolder, "made", "for it")
      const server = yield* serving(5, 24)
      assert.deepStrictEqual(yield* record(server.url, folder, 5, 24), { recorded: 20, kept: 0 })
      assert.strictEqual(readdirSync(folder).length, 20)
      const reader = makeRecordedReader()
      const [item] = reader.line(read(folder, 7).trimEnd())
      const [raw] = chain(7, 7)
      assert.strictEqual(item?._tag, "Recorded")
      if (item?._tag !== "Recorded") return
      assert.deepInclude(item.ledger, {
        ledger_index: 7,
        ledger_hash: raw!.ledger_hash,
        parent_hash: raw!.parent_hash,
        close_time: raw!.close_time
      })
      assert.deepStrictEqual(
        item.ledger.transactions.map(({ hash }) => hash),
        raw!.transactions.map(({ hash }) => hash)
      )
    })
  )

  it.effect("resumes where it stopped: keeps complete files, records others again", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const server = yield* serving(5, 24)
      yield* record(server.url, folder, 5, 20)
      const whole = read(folder, 11)
      writeFileSync(join(folder, "mainnet-11.json"), whole.slice(0, 100))
      writeFileSync(join(folder, "mainnet-12.json"), read(folder, 13))
      const before = asked(server.requests).length
      assert.deepStrictEqual(yield* record(server.url, folder, 5, 24), { recorded: 6, kept: 14 })
      assert.sameMembers(asked(server.requests).slice(before), [
        ...["ledger 11", "ledger 12"],
        ...["ledger 21", "ledger 22", "ledger 23", "ledger 24"]
      ])
      assert.strictEqual(read(folder, 11), whole)
    })
  )

  it.effect("writes through no link that stands under a file's name or temporary name", () =>
    Effect.gen(function* () {
      const [folder, elsewhere] = [yield* temporaryFolder, yield* temporaryFolder]
      const other = join(elsewhere, "other")
      writeFileSync(other, "of somebody else")
      for (const name of ["mainnet-5.json.part", "mainnet-6.json"]) symlinkSync(other, join(folder, name))
      const server = yield* serving(5, 6)
      assert.deepStrictEqual(yield* record(server.url, folder, 5, 6), { recorded: 2, kept: 0 })
      assert.strictEqual(readFileSync(other, "utf8"), "of somebody else")
      const names = readdirSync(folder, { withFileTypes: true })
      assert.deepStrictEqual(
        names.map((entry) => [entry.name, entry.isFile()]),
        [
          ["mainnet-5.json", true],
          ["mainnet-6.json", true]
        ]
      )
    })
  )

  it.effect("records again over a file that says it is not final, and over one that lists nothing", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const server = yield* serving(5, 8)
      yield* record(server.url, folder, 5, 8)
      const whole = [6, 7].map((index) => read(folder, index))
      writeFileSync(
        join(folder, "mainnet-6.json"),
        JSON.stringify({ ...JSON.parse(whole[0]!), validated: false })
      )
      writeFileSync(
        join(folder, "mainnet-7.json"),
        JSON.stringify({ ...JSON.parse(whole[1]!), transactions: [] })
      )
      assert.deepStrictEqual(yield* record(server.url, folder, 5, 8), { recorded: 2, kept: 2 })
      assert.deepStrictEqual(
        [6, 7].map((index) => read(folder, index)),
        whole
      )
    })
  )

  it.effect("writes files that a server can serve, byte for byte", () =>
    Effect.gen(function* () {
      const [first, second] = [yield* temporaryFolder, yield* temporaryFolder]
      const server = yield* serving(5, 12)
      yield* record(server.url, first, 5, 12)
      const again = yield* rippledServer()
      again.serve(readdirSync(first).map((file) => JSON.parse(readFileSync(join(first, file), "utf8"))))
      again.close(12)
      yield* record(again.url, second, 5, 12)
      for (let index = 5; index <= 12; index++)
        assert.deepStrictEqual(JSON.parse(read(second, index)), JSON.parse(read(first, index)))
    })
  )

  it.effect("continues after a lost connection and after a server's slowDown", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const server = yield* serving(5, 24)
      server.misbehave("ledger 9", 1, () => {
        server.drop()
        return undefined
      })
      server.misbehave("ledger 15", 2, () => ({ error: "lgrNotFound" }))
      server.misbehave("ledger 20", 1, (answer) => ({ ...answer, warning: "load" }))
      assert.deepStrictEqual(yield* record(server.url, folder, 5, 24), { recorded: 20, kept: 0 })
    })
  )

  it.effect("leaves only complete files when a server has no more ledgers, and reports it", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const server = yield* serving(5, 12)
      const error = yield* Effect.flip(record(server.url, folder, 10, 14))
      assert.match(error.message, /^ledger 1[34] cannot be recorded: .*lgrNotFound/)
      assert.sameMembers(
        readdirSync(folder),
        [10, 11, 12].map((index) => `mainnet-${index}.json`)
      )
    })
  )

  it.effect("does not promise that trying again helps if the server cannot list the ledger", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const server = yield* rippledServer({ networkId: 0, interfere: unlistable(new Map([[7, "lacking"]])) })
      server.serve(chain(5, 9, { transactions: 2 }))
      server.close(9)
      const error = yield* Effect.flip(record(server.url, folder, 5, 7))
      assert.match(error.message, /^ledger 7 cannot be recorded: .*: transaction 0 of ledger 7 is missing\. /)
      assert.match(
        error.message,
        /another with --url; if no server does, record the ledgers before and after/
      )
      assert.notMatch(error.message, /run the same command again/)
    })
  )

  it.effect("refuses a server of another network, and one that cannot be reached", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const server = yield* serving(5, 12)
      const error = yield* Effect.flip(record(server.url, folder, 5, 6, "testnet"))
      assert.match(error.message, /network_id is 0, but testnet has 1/)
      const away = yield* Effect.flip(record("ws://127.0.0.1:1/secret-path", folder, 5, 6))
      assert.match(away.message, /^ledger [56] .*: 127\.0\.0\.1:1: connection refused\./)
      assert.notInclude(away.message, "secret-path")
      assert.deepStrictEqual(readdirSync(folder), [])
    })
  )

  it.effect("notices files of another chain among its own", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const server = yield* serving(5, 12)
      yield* record(server.url, folder, 5, 8)
      server.serve(chain(9, 12, { name: "another" }))
      const error = yield* Effect.flip(record(server.url, folder, 5, 12))
      assert.match(error.message, /parent hash of ledger 9 is .* but the hash of ledger 8 is/)
      assert.isTrue(existsSync(join(folder, "mainnet-8.json")))
    })
  )
})
