/** Real ledgers are served over rippled's protocol and ingested, and the events compared with the known ones. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { detectLedger } from "../../src/detect/Detect.ts"
import { comparable, corpusPresent, corpusRuns, expectedEvents } from "../support/corpusLedgers.ts"
import { events, eventuallyAdvancing, ingesting, markers, memoryLayer } from "../support/ingesting.ts"
import { rippledServer } from "../support/rippledServer.ts"

const runs = corpusPresent ? corpusRuns() : []

describe.skipIf(!corpusPresent)("real ledgers (skipped without ../shared/xrpl-corpus)", () => {
  it("are 42, and each run is contiguous", () => {
    assert.strictEqual(runs.flatMap(({ files }) => files).length, 42)
    for (const { ledgers } of runs)
      for (const [i, ledger] of ledgers.entries())
        assert.strictEqual(ledger.ledger_index, ledgers[0]!.ledger_index + i)
  })

  it.effect.each(runs.map((run) => [run.files[0]!, run] as const))(
    "give exactly their events, in order: from %s on",
    ([, { files, ledgers }]) =>
      Effect.gen(function* () {
        const server = yield* rippledServer()
        server.serve(ledgers)
        server.close(ledgers.at(-1)!.ledger_index)
        yield* ingesting([server.url], { start: ledgers[0]!.ledger_index, detect: detectLedger })
        yield* eventuallyAdvancing(Effect.map(markers, ({ length }) => length === ledgers.length))

        const expected = expectedEvents(files)
        const found = yield* events
        const known = (index: number) => expected[index]?.timestamp !== null
        assert.deepStrictEqual(
          found.map((event, i) => comparable({ ...event }, { withTime: known(i) })),
          expected.map((event, i) => comparable(event, { withTime: known(i) }))
        )
      }).pipe(Effect.provide(memoryLayer()))
  )
})
