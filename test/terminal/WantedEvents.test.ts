/** `replay create` reads its flags and files, and refuses wrong ones. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { type EventType, eventTypes } from "../../src/spine/event/EventType.ts"
import { endingOf } from "../../src/terminal/Failure.ts"
import { wantedOf } from "../../src/terminal/WantedEvents.ts"

const cwd = mkdtempSync(join(tmpdir(), "ledgerhook-wanted-"))
afterAll(() => rmSync(cwd, { recursive: true, force: true }))

const unknown = `xrpl:90000001:${"0".repeat(64)}:payment.xrp`

describe("the events of a replay", () => {
  const nothing = {
    eventIds: [] as string[],
    eventIdsFile: undefined as string | undefined,
    types: [] as ReadonlyArray<EventType>[],
    accounts: [] as string[],
    payloadFilter: undefined as string | undefined,
    since: undefined as number | undefined,
    until: undefined as number | undefined
  }
  const ids = (name: string, lines: ReadonlyArray<string>) => {
    const file = join(cwd, name)
    writeFileSync(file, lines.join("\r\n"))
    return { ...nothing, eventIdsFile: file }
  }
  const numbered = (count: number) =>
    Array.from({ length: count }, (_, i) => unknown.replace("90000001", String(i + 1)))

  const filtered = (payloadFilter: string, types: ReadonlyArray<EventType> = eventTypes) => ({
    ...nothing,
    types: [types],
    payloadFilter
  })

  const badWishes: ReadonlyArray<readonly [wish: () => typeof nothing, code: number, says: RegExp]> = [
    [() => ({ ...ids("one", [unknown]), since: 0 }), 2, /cannot be used together/],
    [() => ids("bad", [unknown, "nonsense"]), 2, /bad: line 2 must be an event id/],
    [() => ids("empty", ["", " "]), 2, /empty contains no event id/],
    [() => ids("many", numbered(10_001)), 2, /many contains more than 10000 event ids/],
    [() => ({ ...nothing, eventIdsFile: join(cwd, "none") }), 1, /none: no such file/],
    [() => ({ ...nothing, since: 2, until: 2 }), 2, /--since must be before --until/],
    [() => filtered("{"), 2, /--payload-filter: not valid JSON: it ends too early\./],
    [
      () => filtered('{"taxn": 7}', ["nft.minted"]),
      2,
      /--payload-filter: payload_filter\.taxn is not a field of these events; did you mean taxon\?/
    ],
    [
      () => filtered('{"taxon": 7}', ["payment.xrp"]),
      2,
      /payload_filter\.taxon is not a field of the event types asked for; these have it: nft\.minted/
    ]
  ]
  it.effect("are refused with one sentence if flags conflict or a file is wrong", () =>
    Effect.gen(function* () {
      for (const [wish, code, says] of badWishes) {
        const ending = endingOf(yield* Effect.exit(wantedOf(wish())), false)
        assert.strictEqual(ending.code, code, String(says))
        assert.lengthOf(ending.lines, 1)
        assert.match(ending.lines[0]!, says)
      }
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.effect("are each included once, from flags and file together; every type selects all", () =>
    Effect.gen(function* () {
      assert.lengthOf((yield* wantedOf(ids("most", numbered(10_000)))).eventIds ?? [], 10_000)
      const twice = yield* wantedOf({
        ...ids("twice", ["", ` ${unknown} `, unknown]),
        eventIds: [unknown]
      })
      assert.deepStrictEqual(twice.eventIds, [unknown])
      const all = yield* wantedOf({ ...nothing, types: [eventTypes] })
      assert.deepStrictEqual(all.filters, {})
      const large = yield* wantedOf(filtered('{"amount": {"$gte": "5"}}'))
      assert.deepStrictEqual(large.filters, { payload_filter: { amount: { $gte: "5" } } })
    }).pipe(Effect.provide(NodeServices.layer))
  )
})
