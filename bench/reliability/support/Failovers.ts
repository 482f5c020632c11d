/**
 * Faults after which the log or the database may have gone back: failovers of a PostgreSQL with a standby, restored
 * copies, Kafka topics that were deleted and made again or lost their files. As Faults.ts; they need `--failover`.
 */
import { cpSync, globSync, rmSync } from "node:fs"
import { Clock, Effect } from "effect"
import { DELIVERIES_TOPIC, delayTopic } from "../../../src/spine/domain/Delivery.ts"
import { CONFIG_TOPIC } from "../../../src/spine/domain/Webhook.ts"
import { eventsTopic, ledgersTopic } from "../../../src/spine/event/LedgerEvent.ts"
import type { FailoverPair } from "../../../test/support/store/failoverPair.ts"
import type { Cluster, Store } from "./Cluster.ts"
import type { Fault } from "./Faults.ts"

const BOTH: ReadonlyArray<Store> = ["kafka", "embedded"]
const EMBEDDED: ReadonlyArray<Store> = ["embedded"]
const KAFKA: ReadonlyArray<Store> = ["kafka"]
const NETWORK = "mainnet"

const seconds = (count: number) => Effect.sleep(count * 1_000)
const deliverersOf = ({ members }: Cluster) => members.filter(({ roles }) => roles.includes("deliver")).length

/** The pair with a standby. A cluster that these faults strike has one. */
const readyPair = Effect.fnUntraced(function* ({ pair }: Cluster) {
  yield* pair!.withStandby
  return pair as FailoverPair
})

/** The standby has everything; afterwards the old primary is a standby of the new one. */
const planned = (addressStays: boolean) =>
  Effect.fnUntraced(function* (cluster: Cluster) {
    const pair = yield* readyPair(cluster)
    yield* pair.stopPrimary
    const staysFor = addressStays ? cluster.random.int(5, 20) : 0
    yield* pair.promote
    if (!addressStays) yield* pair.lead("primary")
    yield* pair.returnAsStandby
    yield* seconds(staysFor)
    yield* pair.lead("primary")
    const what = addressStays ? `the address led to a standby for ${staysFor} s` : "planned"
    return { what, deliverers: deliverersOf(cluster) }
  })

/** The newest records and rows are gone. `awayFor`: seconds without a primary. */
const behind = (awayFor: (cluster: Cluster) => number) =>
  Effect.fnUntraced(function* (cluster: Cluster) {
    const pair = yield* readyPair(cluster)
    const before = cluster.receivers.arrived()
    yield* pair.stopReplication
    const lag = cluster.random.int(2, 12)
    yield* seconds(lag)
    const away = awayFor(cluster)
    const crashedMs = yield* Clock.currentTimeMillis
    if (away === 0) yield* Effect.all([pair.crashPrimary, pair.promote], { concurrency: 2 })
    else {
      yield* pair.crashPrimary
      yield* seconds(away)
      yield* pair.promote
    }
    yield* pair.lead("primary")
    const ms = (yield* Clock.currentTimeMillis) - crashedMs
    return {
      what: `a standby that was ${lag} s behind, after ${ms} ms`,
      deliverers: deliverersOf(cluster),
      unknown: cluster.receivers.arrived() - before
    }
  })

const restoreDatabase = Effect.fnUntraced(function* (cluster: Cluster) {
  const pair = yield* readyPair(cluster)
  const before = cluster.receivers.arrived()
  yield* pair.copy
  const age = cluster.random.int(5, 30)
  yield* seconds(age)
  yield* pair.restoreCopy
  return {
    what: `a copy that was ${age} s old`,
    deliverers: deliverersOf(cluster),
    unknown: cluster.receivers.arrived() - before
  }
})

const whileStopped = (cluster: Cluster, act: () => void) =>
  Effect.promise(() => cluster.broker!.stop()).pipe(
    Effect.andThen(Effect.sync(act)),
    Effect.andThen(Effect.promise(() => cluster.broker!.start()))
  )

const restoreKafka = Effect.fnUntraced(function* (cluster: Cluster) {
  const [data, copy] = [cluster.brokerFolder!, `${cluster.brokerFolder}-copy`]
  const before = cluster.receivers.arrived()
  yield* whileStopped(cluster, () => {
    rmSync(copy, { recursive: true, force: true })
    cpSync(data, copy, { recursive: true })
  })
  const age = cluster.random.int(5, 30)
  yield* seconds(age)
  yield* whileStopped(cluster, () => {
    rmSync(data, { recursive: true })
    cpSync(copy, data, { recursive: true })
  })
  return {
    what: `a copy that was ${age} s old`,
    deliverers: deliverersOf(cluster),
    unknown: cluster.receivers.arrived() - before
  }
})

const topics = {
  events: eventsTopic(NETWORK),
  ledgers: ledgersTopic(NETWORK),
  deliveries: DELIVERIES_TOPIC,
  delay: delayTopic(2),
  config: CONFIG_TOPIC
}

const remake = (topic: string) =>
  Effect.fnUntraced(function* (cluster: Cluster) {
    yield* cluster.deleteTopic(topic)
    // A broker acknowledges a deletion before it shows it.
    yield* seconds(3)
    yield* Effect.orDie(cluster.makeTopics)
    return { what: topic, deliverers: deliverersOf(cluster) }
  })

/** Its offsets begin at 0 again, and what groups have committed lies beyond the end. */
const loseFiles = (topic: string) =>
  Effect.fnUntraced(function* (cluster: Cluster) {
    yield* whileStopped(cluster, () => {
      for (const folder of globSync(`${cluster.brokerFolder}/${topic}-*`)) rmSync(folder, { recursive: true })
    })
    return { what: topic, deliverers: deliverersOf(cluster) }
  })

const ofTopics = (
  prefix: string,
  meaning: (topic: string) => string,
  strike: (topic: string) => Fault["strike"]
): Readonly<Record<string, Fault>> =>
  Object.fromEntries(
    Object.entries(topics).map(([name, topic]) => [
      `${prefix}-${name}`,
      { meaning: meaning(topic), on: KAFKA, strike: strike(topic) }
    ])
  )

export const failovers: Readonly<Record<string, Fault>> = {
  planned: {
    meaning: "the primary stops in order, and the standby, which has everything, takes its place",
    on: BOTH,
    strike: planned(false)
  },
  "old-primary": {
    meaning: "planned, but the address leads to the old primary, now a standby, for 5 to 20 s",
    on: BOTH,
    strike: planned(true)
  },
  behind: {
    meaning: "the primary dies, and after 1 to 15 s a standby that is 2 to 12 s behind takes its place",
    on: BOTH,
    strike: behind(({ random }) => random.int(1, 15))
  },
  "behind-at-once": {
    meaning: "as behind, at the same moment",
    on: BOTH,
    strike: behind(() => 0)
  },
  "restored-database": {
    meaning: "PostgreSQL is stopped, and a copy that is 5 to 30 s old takes its place",
    on: EMBEDDED,
    strike: restoreDatabase
  },
  "restored-kafka": {
    meaning: "Kafka is stopped, and a copy that is 5 to 30 s old takes its place",
    on: KAFKA,
    strike: restoreKafka
  },
  ...ofTopics("remade", (topic) => `${topic} is deleted and made again`, remake),
  ...ofTopics("emptied", (topic) => `the broker loses its files of ${topic}`, loseFiles)
}
