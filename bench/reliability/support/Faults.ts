/**
 * The faults. Each `strike` begins a fault at that moment, waits as long as it lasts, and ends it. All chance comes
 * from the cluster's seed.
 */
import { spawnSync } from "node:child_process"
import { chmodSync, globSync, readdirSync, writeFileSync } from "node:fs"
import { Effect } from "effect"
import { killDatabase } from "../../../test/support/program/serviceProcess.ts"
import type { Cluster, Store } from "./Cluster.ts"
import type { FaultMode } from "./FaultProxy.ts"
import { isAlive, type Member } from "./Member.ts"

export interface Struck {
  /** For the progress line: what was hit. */
  readonly what: string
  /** How many deliver processes may have lost attempts that they had sent and not recorded. */
  readonly deliverers: number
  /** How many deliveries arrived of which the database has lost the record: they may be sent again. */
  readonly unknown?: number
}

export interface Fault {
  readonly meaning: string
  readonly on: ReadonlyArray<Store>
  /** Why this machine cannot have it; undefined if it can. */
  readonly missing?: (cluster: Cluster) => string | undefined
  readonly strike: (cluster: Cluster) => Effect.Effect<Struck>
}

const BOTH: ReadonlyArray<Store> = ["kafka", "embedded"]
const KAFKA: ReadonlyArray<Store> = ["kafka"]

const seconds = (count: number) => Effect.sleep(count * 1_000)

const signal = (pid: number | undefined, name: NodeJS.Signals) =>
  Effect.sync(() => {
    if (pid !== undefined && isAlive(pid)) process.kill(pid, name)
  })

const isDeliverer = ({ roles }: Member) => roles.includes("deliver")
const allDeliverers = ({ members }: Cluster) => members.filter(isDeliverer).length

/** A member that is running now. Between two starts, the next one. */
const victimOf = Effect.fnUntraced(function* ({ victims, random }: Cluster) {
  const victim = random.pick(victims)
  while (victim.pid() === undefined) yield* Effect.sleep(50)
  return {
    victim,
    pid: victim.pid(),
    what: `process ${victim.name}`,
    deliverers: isDeliverer(victim) ? 1 : 0
  }
})

/** On the embedded store: the program, its database, or both, at the same moment. */
const kill = Effect.fnUntraced(function* (cluster: Cluster) {
  const { pid, what, deliverers } = yield* victimOf(cluster)
  const target = cluster.store === "kafka" ? "program" : cluster.random.pick(["program", "database", "both"])
  if (target !== "database") yield* signal(pid, "SIGKILL")
  if (target !== "program") yield* killDatabase(`${cluster.databaseFolder}/..`)
  if (cluster.store === "kafka") return { what, deliverers }
  return { what: target, deliverers: target === "database" ? 0 : deliverers }
})

const restartBroker = (how: "stop" | "kill") => (cluster: Cluster) =>
  Effect.gen(function* () {
    const down = cluster.random.int(1, 20)
    yield* Effect.promise(() => cluster.broker![how]())
    yield* seconds(down)
    yield* Effect.promise(() => cluster.broker!.start())
    return { what: `broker down for ${down} s`, deliverers: allDeliverers(cluster) }
  })

/** Its launcher starts the database again at once; clients may be kept out for longer. */
const restartDatabase = (how: "SIGINT" | "SIGQUIT") => (cluster: Cluster) =>
  Effect.gen(function* () {
    const away = cluster.proxies["database"] === undefined ? 0 : cluster.random.int(0, 15)
    yield* signal(cluster.databasePid(), how)
    if (away > 0) cluster.proxies["database"]?.set({ kind: "cut" })
    yield* seconds(away)
    cluster.proxies["database"]?.set({ kind: "pass" })
    return { what: `database away for ${away} s`, deliverers: 0 }
  })

const connections =
  (lasts: readonly [number, number], modeOf: (cluster: Cluster) => FaultMode) => (cluster: Cluster) =>
    Effect.gen(function* () {
      const [name, proxy] = cluster.random.pick(Object.entries(cluster.proxies))
      const length = cluster.random.int(...lasts)
      const mode = modeOf(cluster)
      proxy.set(mode)
      yield* seconds(length)
      proxy.set({ kind: "pass" })
      const what = `${name}, ${length} s${mode.kind === "delay" ? `, ${mode.ms} ms` : ""}`
      // A member whose broker does not answer loses its partitions.
      return { what, deliverers: name === "kafka" ? allDeliverers(cluster) : 0 }
    })

const FROZEN_SECONDS = 60

const freeze = Effect.fnUntraced(function* (cluster: Cluster) {
  const { pid, what, deliverers } = yield* victimOf(cluster)
  yield* signal(pid, "SIGSTOP")
  yield* seconds(FROZEN_SECONDS).pipe(Effect.ensuring(signal(pid, "SIGCONT")))
  return { what, deliverers }
})

const moveClock = Effect.fnUntraced(function* (cluster: Cluster) {
  const { victim, what, deliverers } = yield* victimOf(cluster)
  const offset = cluster.random.pick([-120, -30, -5, 5, 30, 120])
  const file = cluster.clockFileOf!(victim)
  const set = (value: number) => Effect.sync(() => writeFileSync(file, `${value < 0 ? "" : "+"}${value}\n`))
  yield* set(offset)
  yield* seconds(20).pipe(Effect.ensuring(set(0)))
  return { what: `${what}, ${offset} s`, deliverers }
})

const limitFiles = (pid: number, soft: number | string) =>
  Effect.sync(() => void spawnSync("prlimit", ["--pid", String(pid), `--nofile=${soft}:`]))

/** No descriptor more than the process has open now. */
const exhaust = Effect.fnUntraced(function* (cluster: Cluster) {
  const { pid, what, deliverers } = yield* victimOf(cluster)
  const open = readdirSync(`/proc/${pid}/fd`).length
  const before = spawnSync("prlimit", ["--pid", String(pid), "--nofile", "--output=SOFT", "--noheadings"], {
    encoding: "utf8"
  }).stdout.trim()
  yield* limitFiles(pid!, open)
  yield* seconds(cluster.random.int(5, 20)).pipe(Effect.ensuring(limitFiles(pid!, before)))
  return { what, deliverers }
})

/** PostgreSQL runs as an ordinary user, for whom the mode counts. What it has open stays open. */
const setModes = (folder: string, mode: number) =>
  Effect.sync(() => {
    for (const path of globSync("**", { cwd: folder })) {
      try {
        chmodSync(`${folder}/${path}`, mode)
      } catch {
        // The file was deleted meanwhile.
      }
    }
  })

const forbidWriting = Effect.fnUntraced(function* ({ databaseFolder, random }: Cluster) {
  yield* setModes(databaseFolder, 0o500)
  yield* seconds(random.int(5, 15)).pipe(Effect.ensuring(setModes(databaseFolder, 0o700)))
  return { what: "DATA_DIR", deliverers: 0 }
})

const fillDisk = Effect.fnUntraced(function* (cluster: Cluster) {
  const { begin, end } = cluster.disk.full!
  yield* begin
  yield* seconds(cluster.random.int(5, 20)).pipe(Effect.ensuring(end))
  return { what: "disk", deliverers: 0 }
})

const without = (program: string) => () =>
  spawnSync(program, ["--version"]).status === 0 ? undefined : `${program} is not installed`

export const faults: Readonly<Record<string, Fault>> = {
  kill: {
    meaning: "kill -9 of a process (embedded: of the program, its database, or both)",
    on: BOTH,
    strike: kill
  },
  "broker-kill": {
    meaning: "kill -9 of the broker, which is down for 1 to 20 s",
    on: KAFKA,
    strike: restartBroker("kill")
  },
  "broker-stop": {
    meaning: "orderly stop of the broker, which is down for 1 to 20 s",
    on: KAFKA,
    strike: restartBroker("stop")
  },
  "database-immediate": {
    meaning: "PostgreSQL's immediate shutdown and crash recovery; with Kafka unreachable for up to 15 s",
    on: BOTH,
    strike: restartDatabase("SIGQUIT")
  },
  "database-fast": {
    meaning: "PostgreSQL's fast shutdown; with Kafka unreachable for up to 15 s",
    on: BOTH,
    strike: restartDatabase("SIGINT")
  },
  "disk-full": {
    meaning: "the database's disk is full for 5 to 20 s",
    on: BOTH,
    missing: ({ disk }) => (disk.full === undefined ? "this user may not mount a tmpfs" : undefined),
    strike: fillDisk
  },
  cut: {
    meaning:
      "all connections to the database, the broker or the ledger server end and are refused for 1 to 15 s",
    on: BOTH,
    strike: connections([1, 15], () => ({ kind: "cut" }))
  },
  delay: {
    meaning:
      "every message to and from the database, the broker or the ledger server is 50 to 1,000 ms late for 10 s",
    on: BOTH,
    strike: connections([10, 10], ({ random }) => ({ kind: "delay", ms: random.int(50, 1_000) }))
  },
  "half-open": {
    meaning:
      "connections to the database, the broker or the ledger server are silent for 5 to 30 s, then reset",
    on: BOTH,
    strike: connections([5, 30], () => ({ kind: "half-open" }))
  },
  stop: { meaning: "SIGSTOP for 60 s, then SIGCONT, of a process", on: BOTH, strike: freeze },
  clock: {
    meaning: "the clock of a process jumps by up to 2 minutes, and back after 20 s",
    on: BOTH,
    missing: ({ clockFileOf }) => (clockFileOf === undefined ? "libfaketime is not installed" : undefined),
    strike: moveClock
  },
  descriptors: {
    meaning: "a process can open no file and no connection for 5 to 20 s",
    on: BOTH,
    missing: without("prlimit"),
    strike: exhaust
  },
  "read-only": {
    meaning: "no file of DATA_DIR can be opened for writing for 5 to 15 s",
    on: ["embedded"],
    strike: forbidWriting
  }
}
