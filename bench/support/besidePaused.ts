/**
 * Measures what webhooks of one account wait beside paused webhooks of another: the time from a ledger's announcement
 * to the request, without and with the paused ones, and the CPU time meanwhile.
 */
import { Effect } from "effect"
import { createWebhook } from "../../test/support/http/apiClient.ts"
import type { Arrival } from "./arrivalsProgram.ts"
import { startChild } from "./Child.ts"
import { cpuSecondsBelow } from "./cpu.ts"
import { eventsOf } from "./ledgerEvents.ts"
import { FIRST_LEDGER_INDEX, makeLedgers } from "./ledgers.ts"
import { quantile } from "./rounds.ts"
import { startProgram } from "./wholeProgram.ts"

const ACTIVE = 10
const PAUSED = 200
/** About 30 events. */
const TRANSACTIONS = 20
const LEDGER_EVERY_MS = 1_000
/** Not measured: the program compiles its code, and the paused webhooks are new. */
const WARM_UPS = 5
const QUIET_LEDGERS = 20
const PAUSED_LEDGERS = 40
const LEDGERS = 2 * WARM_UPS + QUIET_LEDGERS + PAUSED_LEDGERS
/** What has not arrived by then counts as this old. */
const LONGEST_WAIT_MS = 60_000
const LOOK_MS = 100
const CREATED_AT_ONCE = 8

const now = () => performance.timeOrigin + performance.now()

interface Phase {
  readonly p50Ms: number
  readonly p99Ms: number
  /** CPU seconds of the program and its database per 1,000 deliveries to the active webhooks. */
  readonly cpu: number
}

export const besidePaused = Effect.fnUntraced(function* (program: string) {
  const server = yield* startChild("ledgerServerProgram.ts", [String(LEDGERS), String(TRANSACTIONS)])
  const receiver = yield* startChild("arrivalsProgram.ts")
  const events = makeLedgers(LEDGERS, TRANSACTIONS).map(
    ({ result }) => eventsOf(JSON.parse(result), 0).length
  )
  const { client, otherAccount } = yield* startProgram(program, {
    XRPL_MAINNET_URLS: `ws://127.0.0.1:${yield* server.ask()}`,
    XRPL_MAINNET_START: String(FIRST_LEDGER_INDEX + 1)
  })
  const port = yield* receiver.ask()
  const create = (by: typeof client, count: number, fields: object) =>
    Effect.forEach(
      Array.from({ length: count }, (_, i) => `http://127.0.0.${i + 1}:${port}/hook`),
      (url) => createWebhook(by, { url, event_types: ["*"], ...fields }),
      { concurrency: CREATED_AT_ONCE, discard: true }
    )
  yield* create(client, ACTIVE, {})

  let known = 0
  const announce = Effect.fnUntraced(function* (ledgers: number) {
    const announcedAt = new Map<number, number>()
    const waits: Array<number> = []
    let wanted = 0
    const look = Effect.gen(function* () {
      // Sent by arrivalsProgram.ts.
      for (const [, , atMs, eventId] of (yield* receiver.ask("arrivals")) as ReadonlyArray<Arrival>) {
        const announced = announcedAt.get(Number(eventId.split(":")[1]))
        if (announced !== undefined) waits.push(atMs - announced)
      }
    })
    for (const last = known + ledgers; known < last; ) {
      wanted += events[known]! * ACTIVE
      known++
      announcedAt.set(FIRST_LEDGER_INDEX + known, now())
      yield* server.ask(known)
      yield* Effect.sleep(LEDGER_EVERY_MS)
      yield* look
    }
    for (const until = now() + LONGEST_WAIT_MS; waits.length < wanted && now() < until; ) {
      yield* Effect.sleep(LOOK_MS)
      yield* look
    }
    while (waits.length < wanted) waits.push(LONGEST_WAIT_MS)
    return waits
  })
  const phase = Effect.fnUntraced(function* (ledgers: number) {
    yield* announce(WARM_UPS)
    const before = cpuSecondsBelow([server.process.pid, receiver.process.pid])
    const waits = yield* announce(ledgers)
    const cpu = cpuSecondsBelow([server.process.pid, receiver.process.pid]) - before
    const measured: Phase = {
      p50Ms: quantile(waits, 0.5),
      p99Ms: quantile(waits, 0.99),
      cpu: (cpu / waits.length) * 1_000
    }
    return measured
  })
  const quiet = yield* phase(QUIET_LEDGERS)
  yield* create(yield* otherAccount, PAUSED, { paused: true })
  return { quiet, paused: yield* phase(PAUSED_LEDGERS) }
})
