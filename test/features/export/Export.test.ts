/**
 * `events export` on a log in memory: each event once in the file of its type and day, a manifest that proves it, the
 * same files after a crash at any moment, and everything that is missing reported.
 */
import { lstatSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem, Layer } from "effect"
import { parseBound } from "../../../src/features/events/command/Bounds.ts"
import { openFolder } from "../../../src/features/export/FolderTarget.ts"
import { eventTypes } from "../../../src/spine/event/EventType.ts"
import { Log } from "../../../src/spine/log/Log.ts"
import { events, memoryLayer } from "../../support/ledger/ingesting.ts"
import { makeFolder } from "../../support/program/makeFolder.ts"
import {
  eventFilesIn,
  exported,
  exportTo,
  FIRST,
  filesIn,
  jsonIn,
  linesOf,
  type Options,
  simulatedLedgers,
  take
} from "./exporting.ts"

const ledgers = simulatedLedgers(100, 8)
/** As many days in fewer ledgers. */
const sparse = simulatedLedgers(40, 8, 6_000)
const time = (text: string) => parseBound(text)!
const ledger = (index: number) => parseBound(String(index))!

interface Listed {
  readonly path: string
  readonly event_type: string
  readonly events: number
  readonly bytes: number
  readonly sha256: string
}

interface Shown {
  readonly events: number
  readonly ledgers: ReadonlyArray<Record<string, unknown>>
  readonly gaps: ReadonlyArray<unknown>
  readonly dates: ReadonlyArray<{ readonly date: string }>
}

const manifestIn = (folder: string): Shown => jsonIn(join(folder, "network=mainnet/_manifest.json"))

/** The files that the manifests of all dates list. */
const listedIn = (folder: string): ReadonlyArray<Listed> =>
  manifestIn(folder).dates.flatMap(({ date }) =>
    jsonIn(join(folder, `network=mainnet/date=${date}/_manifest.json`)).parts.flatMap(
      (part: { readonly files: ReadonlyArray<Listed> }) => part.files
    )
  )

/** Runs with a log of the ledgers. */
const withLedgers = <A, E, R>(effect: Effect.Effect<A, E, R>, given = ledgers) =>
  Effect.andThen(take(given), effect).pipe(Effect.provide(memoryLayer()))

describe("events export", () => {
  it.effect("writes each event once, as its record, by type and UTC day", () =>
    withLedgers(
      Effect.gen(function* () {
        const folder = yield* makeFolder
        const result = yield* exported(folder)
        const topic = yield* events
        assert.isTrue(result.ok)
        assert.strictEqual(result.events, topic.length)
        const expected = Map.groupBy(
          topic,
          (event) =>
            `network=mainnet/date=${event.timestamp.slice(0, 10)}/type=${event.event_type}/events.ndjson.gz`
        )
        assert.isAbove(new Set(topic.map((event) => event.event_type)).size, 15)
        assert.sameMembers(Object.keys(eventFilesIn(folder)), [...expected.keys()])
        for (const [path, ofFile] of expected)
          assert.deepStrictEqual(
            linesOf(join(folder, path)),
            ofFile.map((event) => JSON.stringify(event))
          )
      })
    )
  )

  it.effect("names the ledgers that an operator skipped, also after a second run", () =>
    Effect.gen(function* () {
      const index = FIRST + 50
      yield* take(
        ledgers.map((one) => (one.ledger_index === index ? { ...one, transactions: [] } : one)),
        (marker) => (marker.ledger_index === index ? { ...marker, skipped: "lost" } : marker)
      )
      const folder = yield* makeFolder
      const skipped = [{ ledger_index: index, reason: "lost" }]
      for (const to of [FIRST + 60, FIRST + 99]) {
        yield* exported(folder, { to: ledger(to) })
        const network = manifestIn(folder)
        assert.deepInclude(network.ledgers[0], { last_ledger: to, skipped })
        assert.deepStrictEqual(network.gaps, [])
      }
    }).pipe(Effect.provide(memoryLayer()))
  )

  it.effect("lists every file with its hash, and the chain of ledgers that the files cover", () =>
    withLedgers(
      Effect.gen(function* () {
        const folder = yield* makeFolder
        yield* exported(folder)
        const mainnet = manifestIn(folder)
        assert.deepStrictEqual(
          mainnet.dates.map(({ date }) => date),
          ["2026-11-20", "2026-11-21", "2026-11-22", "2026-11-23"]
        )
        const listed = listedIn(folder)
        assert.deepStrictEqual(
          Object.fromEntries(listed.map(({ path, sha256 }) => [path, sha256])),
          eventFilesIn(folder)
        )
        for (const { bytes, events: count, path } of listed) {
          assert.strictEqual(statSync(join(folder, path)).size, bytes)
          assert.lengthOf(linesOf(join(folder, path)), count)
        }
        const total = (yield* events).length
        assert.strictEqual(mainnet.events, total)
        assert.deepStrictEqual(mainnet.gaps, [])
        assert.deepStrictEqual(mainnet.ledgers, [
          {
            first_ledger: FIRST,
            last_ledger: FIRST + 99,
            parent_hash: ledgers[0]!.parent_hash,
            last_hash: ledgers[99]!.ledger_hash,
            first_close_time: "2026-11-20T12:00:00Z",
            last_close_time: "2026-11-23T06:00:00Z",
            events: total
          }
        ])
      })
    )
  )

  it.effect("writes through no link that stands under a file's name or temporary name", () =>
    withLedgers(
      Effect.gen(function* () {
        const [whole, folder, elsewhere] = [yield* makeFolder, yield* makeFolder, yield* makeFolder]
        yield* exported(whole)
        const files = filesIn(whole)
        const other = join(elsewhere, "other")
        writeFileSync(other, "of somebody else")
        for (const path of Object.keys(files)) {
          mkdirSync(dirname(join(folder, path)), { recursive: true })
          symlinkSync(other, join(folder, path.endsWith("_manifest.json") ? `${path}.part` : path))
        }
        symlinkSync(elsewhere, join(folder, "network=mainnet/_unfinished"))
        yield* exported(folder)
        assert.deepStrictEqual(filesIn(folder), files)
        for (const path of Object.keys(files)) assert.isTrue(lstatSync(join(folder, path)).isFile(), path)
        assert.deepStrictEqual(Object.keys(filesIn(elsewhere)), ["other"])
        assert.strictEqual(readFileSync(other, "utf8"), "of somebody else")
      })
    )
  )

  it.effect("ends with the same files after a crash at any moment", () =>
    withLedgers(
      Effect.gen(function* () {
        const whole = yield* makeFolder
        // Part of a day first, so that a day is extended too.
        const part = {
          to: ledger(FIRST + 12),
          types: eventTypes.slice(0, 4)
        } satisfies Options
        const rest = { types: part.types }
        yield* exported(whole, rest)
        const real = yield* FileSystem.FileSystem.pipe(Effect.provide(NodeServices.layer))
        let crashes = 0
        for (let steps = 1; ; steps += 4) {
          let left = steps
          /** Each of these changes the folder. The process ends before step number `steps`. */
          const step = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
            Effect.suspend(() => (--left <= 0 ? Effect.die("crash") : effect))
          const dying = FileSystem.FileSystem.of({
            ...real,
            makeDirectory: (path, options) => step(real.makeDirectory(path, options)),
            rename: (from, to) => step(real.rename(from, to)),
            open: (path, options) => step(real.open(path, options))
          })
          const folder = yield* makeFolder
          yield* exported(folder, part)
          const exit = yield* openFolder(folder, "mainnet").pipe(
            Effect.flatMap((target) => exportTo(target, rest)),
            Effect.provide(Layer.merge(NodeServices.layer, Layer.succeed(FileSystem.FileSystem, dying))),
            Effect.exit
          )
          if (exit._tag === "Success") break
          crashes++
          // Even a run that asks for less later must not lose the ledgers that were there.
          yield* exported(folder, { from: ledger(FIRST + 16), ...rest })
          yield* exported(folder, rest)
          assert.deepStrictEqual(filesIn(folder), filesIn(whole), `crash at step ${steps}`)
        }
        assert.isAbove(crashes, 10)
      }).pipe(Effect.scoped),
      sparse
    )
  )

  it.effect("extends a folder with later ledgers, and keeps complete days", () =>
    withLedgers(
      Effect.gen(function* () {
        const [whole, folder] = [yield* makeFolder, yield* makeFolder]
        yield* exported(whole)
        yield* exported(folder, { to: ledger(FIRST + 40) })
        assert.strictEqual((yield* exported(folder, { to: ledger(FIRST + 40) })).periods_kept, 2)
        const more = yield* exported(folder, { from: ledger(FIRST + 41) })
        assert.deepStrictEqual([more.periods, more.periods_kept], [3, 0])
        assert.deepStrictEqual(filesIn(folder), filesIn(whole))
        const again = yield* exported(folder)
        assert.deepStrictEqual([again.periods, again.periods_kept, again.events], [0, 4, 0])
        const [path] = Object.keys(filesIn(folder)).filter((name) => name.endsWith(".gz"))
        writeFileSync(join(folder, path!), "")
        assert.strictEqual((yield* exported(folder)).periods, 1)
        assert.deepStrictEqual(filesIn(folder), filesIn(whole))
      })
    )
  )

  it.effect("takes the ledgers that closed from one time up to another", () =>
    withLedgers(
      Effect.gen(function* () {
        const folder = yield* makeFolder
        const day = { from: time("2026-11-21"), to: time("2026-11-22") }
        const result = yield* exported(folder, { ...day, types: ["payment.xrp"] })
        const expected = (yield* events).filter(
          (event) => event.timestamp.startsWith("2026-11-21") && event.event_type === "payment.xrp"
        )
        assert.deepStrictEqual(
          [result.ok, result.first_ledger, result.last_ledger, result.files, result.events],
          [true, FIRST + 18, FIRST + 53, 1, expected.length]
        )
        const wider = yield* exported(folder, {
          from: time("2026-11-20T13:00:00+02:00"),
          to: time("2026-12-01"),
          types: ["payment.xrp"]
        })
        assert.deepStrictEqual(wider.missing, [
          { first_ledger: null, last_ledger: FIRST - 1, reason: "the log does not contain them" },
          { first_ledger: FIRST + 100, last_ledger: null, reason: "the log ends before --to" }
        ])
        assert.deepStrictEqual([wider.ok, wider.periods, wider.periods_kept], [false, 3, 1])
      })
    )
  )

  it.effect("exports around missing ledgers, and says which they are", () =>
    Effect.gen(function* () {
      const since = (index: number) => (marker: object) => ({ ...marker, range_since: index })
      yield* take(ledgers.slice(0, 20), since(FIRST) as never)
      yield* take(ledgers.slice(30, 60), since(FIRST + 30) as never)
      const folder = yield* makeFolder
      const result = yield* exported(folder)
      assert.deepStrictEqual(result.missing, [
        { first_ledger: FIRST + 20, last_ledger: FIRST + 29, reason: "the log does not contain them" },
        { first_ledger: FIRST + 60, last_ledger: FIRST + 99, reason: "the log does not contain them" }
      ])
      assert.strictEqual(result.events, (yield* events).length)
      const mainnet = manifestIn(folder)
      assert.deepStrictEqual(mainnet.gaps, [
        { after_ledger: FIRST + 19, before_ledger: FIRST + 30, missing: 10 }
      ])
      // Ingest is started again at an older ledger: what it takes again is exported once, and the gap is filled.
      yield* take(ledgers.slice(10, 60), since(FIRST + 60) as never)
      yield* exported(folder, { to: ledger(FIRST + 59) })
      assert.deepStrictEqual(manifestIn(folder).gaps, [])
      const ids = (yield* events).map((event) => event.event_id)
      assert.strictEqual(manifestIn(folder).events, new Set(ids).size)
    }).pipe(Effect.provide(memoryLayer()))
  )

  it.effect("joins two ranges of the log that link by hash", () =>
    Effect.gen(function* () {
      yield* take(ledgers.slice(0, 20), (marker) => ({ ...marker, range_since: FIRST }))
      yield* take(ledgers.slice(20, 40), (marker) => ({ ...marker, range_since: FIRST + 20 }))
      const folder = yield* makeFolder
      assert.isTrue((yield* exported(folder, { to: ledger(FIRST + 39) })).ok)
      assert.lengthOf(manifestIn(folder).ledgers, 1)
    }).pipe(Effect.provide(memoryLayer()))
  )

  it.effect("leaves out ledgers whose events retention has dropped, and says so", () =>
    withLedgers(
      Effect.gen(function* () {
        const folder = yield* makeFolder
        const log = yield* Log
        const topic = yield* events
        // Retention has dropped the first 100 events, and with them some of a ledger's.
        const kept: typeof log = {
          ...log,
          offsets: (of) =>
            Effect.map(log.offsets(of), (offsets) =>
              of.topic.endsWith(".events") ? { ...offsets, start: 100 } : offsets
            )
        }
        const result = yield* exported(folder).pipe(Effect.provideService(Log, kept))
        const last = topic[99]!.ledger_index
        assert.deepStrictEqual(result.missing, [
          { first_ledger: FIRST, last_ledger: last, reason: "the log no longer keeps their events" }
        ])
        assert.strictEqual(manifestIn(folder).ledgers[0]!["first_ledger"], last + 1)
        assert.strictEqual(result.events, topic.filter((event) => event.ledger_index > last).length)
      })
    )
  )

  it.effect("stops at a fault of the log, and writes nothing of that day", () =>
    Effect.gen(function* () {
      yield* take(ledgers.slice(0, 50))
      yield* take(ledgers.slice(50, 51), (marker) => ({ ...marker, event_count: marker.event_count + 1 }))
      yield* take(ledgers.slice(51))
      const folder = yield* makeFolder
      const error = yield* Effect.flip(exported(folder))
      assert.match(error.message, /^the log is not complete: .*ledger 1000050/)
      assert.deepStrictEqual(
        manifestIn(folder).dates.map(({ date }) => date),
        ["2026-11-20"]
      )
    }).pipe(Effect.provide(memoryLayer()))
  )

  const refused: ReadonlyArray<readonly [string, Options, RegExp]> = [
    [
      "no ledger in the range",
      { from: ledger(5), to: ledger(9) },
      /no ledger of this range.*1000000 to 1000099/
    ],
    ["no ledger of the network", { network: "devnet" }, /contains no ledger of devnet/],
    ["a range in the wrong order", { from: ledger(FIRST + 9), to: ledger(FIRST) }, /--from 1000009 is after/],
    ["an empty time", { from: time("2026-11-21"), to: time("2026-11-21") }, /--to must be later than --from/],
    ["another format", { format: "parquet" }, /contains an export of all types as ndjson/],
    ["other types", { types: ["nft.minted"] }, /contains an export of all types as ndjson/]
  ]
  it.effect("refuses in one sentence what it cannot do", () =>
    withLedgers(
      Effect.gen(function* () {
        const folder = yield* makeFolder
        yield* exported(folder)
        for (const [what, options, said] of refused)
          assert.match((yield* Effect.flip(exported(folder, options))).message, said, what)
        writeFileSync(join(folder, "network=mainnet/_manifest.json"), "{}")
        assert.match((yield* Effect.flip(exported(folder))).message, /is not the manifest of an export/)
        writeFileSync(join(folder, "manifest.json"), "{}")
        assert.match((yield* Effect.flip(exported(folder))).message, /an export of an earlier release/)
      })
    )
  )

  it("takes ledgers, days and times as bounds", () => {
    const ms = (text: string) => ({ _tag: "Time", ms: Date.parse(text) }) as const
    assert.deepStrictEqual(parseBound("94084608"), { _tag: "Ledger", index: 94_084_608 })
    assert.deepStrictEqual(parseBound("2026-11-21"), ms("2026-11-21T00:00:00Z"))
    assert.deepStrictEqual(parseBound("2026-11-21T09:30:00+02:00"), ms("2026-11-21T07:30:00Z"))
    for (const wrong of ["0", "4294967296", "-1", "2026-11-31", "yesterday", "2026-11-21T09:30:00", ""])
      assert.isUndefined(parseBound(wrong), wrong)
  })
})
