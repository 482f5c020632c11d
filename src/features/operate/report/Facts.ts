/** Reads the facts of the report, from the log and the database. */

import { Clock, Effect } from "effect"
import { Settings, watchedNetworks } from "../../../spine/config/Config.ts"
import { Limits } from "../../../spine/config/Limits.ts"
import { historyEventsTopic } from "../../../spine/domain/Backfill.ts"
import { DELIVERIES_TOPIC, REPLAYS_TOPIC } from "../../../spine/domain/Delivery.ts"
import { EVENT_LOG_GROUP, eventsTopic } from "../../../spine/event/LedgerEvent.ts"
import type { Network } from "../../../spine/event/Network.ts"
import { transactionsTopic } from "../../../spine/event/TransactionRecord.ts"
import { ingestAge, ledgersLeft, type SeenNetwork } from "../../../spine/ledger/ingest/NetworkFacts.ts"
import { readLostLedgers } from "../../../spine/registry/LostLedgers.ts"
import { failingHosts } from "../../health/FailingHosts.ts"
import { countByHealth } from "../../webhooks/WebhookHealthQueries.ts"
import { operateLimits } from "../Limits.ts"
import { backlogFacts, merged, oldestInProcesses, type StageFact } from "../model/LateStages.ts"
import type { PartState } from "../model/Parts.ts"
import type { ServiceFacts } from "../model/Report.ts"
import { isAlive, type SeenProcess } from "../model/SeenProcess.ts"
import { readNetworks } from "../NetworkRows.ts"
import { readProcesses } from "../ProcessRows.ts"
import { withoutRoles } from "../Settings.ts"
import { readLocksPart, readMailPart } from "./Outside.ts"
import { type Position, positionOf } from "./Positions.ts"
import { type OpenJobs, readBacklog, readJobs, readNotices, readOverdue } from "./WaitingWork.ts"

/** For how long the report says what the log lost. It does not come back. */
const LOST_SHOWN_MS = 3_600_000

const ageMs = ({ oldestAt }: Position, nowMs: number): number =>
  oldestAt === undefined ? 0 : Math.max(0, nowMs - oldestAt)

const ingestFact = (seen: SeenNetwork, nowMs: number): StageFact => ({
  stage: "ingest",
  network: seen.network,
  ...ingestAge(seen, nowMs),
  // One ledger is always under way.
  waiting: ledgersLeft(seen.facts) > 1 ? ledgersLeft(seen.facts) : 0
})

/** Stages that commit what they have finished at once: their place in the log says how late they are. */
const placesOf = Effect.fnUntraced(function* (network: Network) {
  const { rawTransactions } = yield* Settings
  const indexed = [eventsTopic(network), historyEventsTopic(network)]
  if (rawTransactions) indexed.push(transactionsTopic(network))
  const events = yield* positionOf(EVENT_LOG_GROUP, indexed, true)
  const route = yield* positionOf("route", [eventsTopic(network)], true)
  const nowMs = yield* Clock.currentTimeMillis
  return [
    { stage: "events", network, because: "service", oldestMs: ageMs(events, nowMs), waiting: events.records },
    { stage: "route", network, because: "service", oldestMs: ageMs(route, nowMs), waiting: route.records }
  ] satisfies ReadonlyArray<StageFact>
})

/** A process that delivers says how late it is. Without one, or for records that it does not get, the log does. */
const deliverPlace = Effect.fnUntraced(function* (alive: ReadonlyArray<SeenProcess>) {
  const known = oldestInProcesses(alive, "deliver")
  const position = yield* positionOf("deliver", [DELIVERIES_TOPIC, REPLAYS_TOPIC], known === undefined)
  // A process says nothing of records that it never gets.
  const oldestMs = Math.max(known ?? 0, ageMs(position, yield* Clock.currentTimeMillis))
  return {
    stage: "deliver",
    network: "",
    because: "service",
    oldestMs,
    // Records that are under way are not waiting.
    waiting: oldestMs === 0 ? 0 : position.records
  } satisfies StageFact
})

/** Of a stage that counts nothing: one item waits, or none. */
const ownFact = (alive: ReadonlyArray<SeenProcess>, stage: "outbox" | "upkeep"): StageFact => {
  const oldestMs = oldestInProcesses(alive, stage) ?? 0
  return { stage, network: "", because: "service", oldestMs, waiting: oldestMs > 0 ? 1 : 0 }
}

const delayFact = Effect.fnUntraced(function* (alive: ReadonlyArray<SeenProcess>) {
  const known = oldestInProcesses(alive, "delay")
  const late =
    known === undefined || known > operateLimits.lateMs ? yield* readOverdue : { waiting: 0, oldestMs: 0 }
  return {
    stage: "delay",
    network: "",
    because: "service",
    oldestMs: known ?? late.oldestMs,
    // Retries of replays are not counted.
    waiting: (known ?? 0) > 0 ? Math.max(1, late.waiting) : late.waiting
  } satisfies StageFact
})

/** Fails if the log does not answer. */
const logFacts = Effect.fnUntraced(function* (
  networks: ReadonlyArray<Network>,
  alive: ReadonlyArray<SeenProcess>
) {
  const places = yield* Effect.forEach(networks, placesOf)
  return [...places.flat(), yield* deliverPlace(alive)] satisfies ReadonlyArray<StageFact>
})

/** Also the jobs that have not ended, for a metric. */
export const readFacts = Effect.fnUntraced(function* (registry: Effect.Effect<ReadonlyArray<PartState>>) {
  const settings = yield* Settings
  const processes = yield* readProcesses
  const alive = processes.filter(isAlive)
  const watched = watchedNetworks(settings)
  const ofLog = yield* Effect.option(Effect.timeout(logFacts(watched, alive), Limits.reportMs))
  const networks = (yield* readNetworks).filter(({ network }) => watched.includes(network))
  const backlog = yield* readBacklog
  const nowMs = yield* Clock.currentTimeMillis
  const { facts: replay, jobs } = yield* readJobs
  const stages =
    ofLog._tag === "None"
      ? undefined
      : merged([
          ...networks.map((network) => ingestFact(network, nowMs)),
          ...ofLog.value,
          ...backlogFacts(alive, backlog),
          yield* delayFact(alive),
          ...replay,
          ownFact(alive, "outbox"),
          ownFact(alive, "upkeep"),
          ...(yield* readNotices)
        ])
  const facts: ServiceFacts = {
    nowMs,
    processes,
    withoutRoles: settings.of(withoutRoles) ?? [],
    networks,
    outside: [...(yield* registry), ...(yield* readMailPart), ...(yield* readLocksPart)],
    stages,
    webhooks: yield* countByHealth(),
    hosts: yield* failingHosts,
    lost: yield* readLostLedgers(LOST_SHOWN_MS)
  }
  return { facts, jobs: jobs satisfies OpenJobs }
})
