/**
 * Reads the CPU time of this process and of its database server, and how long the event loop's thread waited for a
 * core. It reads /proc, so it needs Linux.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { Effect } from "effect"
import { timed } from "./rounds.ts"

/** The unit of the times in /proc. The kernel's interface to programs fixes it. */
const TICKS_PER_SECOND = 100

interface Stat {
  readonly name: string
  readonly parent: number
  readonly seconds: number
  /** The CPU time of its ended children, such as closed connections of a pool. */
  readonly ofEnded: number
}

const stats = (): ReadonlyMap<number, Stat> => {
  const found = new Map<number, Stat>()
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "utf8")
      // The name in parentheses may contain anything. The fields after it are fixed: state, parent, … utime … cstime.
      const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
      const seconds = (first: number) =>
        (Number(fields[first]) + Number(fields[first + 1])) / TICKS_PER_SECOND
      found.set(Number(name), {
        name: stat.slice(stat.indexOf("(") + 1, stat.lastIndexOf(")")),
        parent: Number(fields[1]),
        seconds: seconds(11),
        ofEnded: seconds(13)
      })
    } catch {
      // The process ended meanwhile.
    }
  }
  return found
}

/** CPU seconds that all threads of a process have used. */
export const cpuSecondsOf = (pid: number): number => {
  const stat = stats().get(pid)
  if (stat === undefined) throw new Error(`/proc shows no process ${pid}`)
  return stat.seconds
}

const isBelow = (all: ReadonlyMap<number, Stat>, pid: number, root: number): boolean => {
  for (let at = all.get(pid)?.parent ?? 0; at > 1; at = all.get(at)?.parent ?? 0) if (at === root) return true
  return false
}

/** Seconds that the descendants of `root`, else of this process, have used, those of `except` left out. */
export const cpuSecondsBelow = (except: ReadonlyArray<number | undefined>, root = process.pid): number => {
  if (process.platform !== "linux") return 0
  const all = stats()
  let seconds = 0
  for (const [pid, stat] of all)
    if (!except.includes(pid) && isBelow(all, pid, root)) seconds += stat.seconds + stat.ofEnded
  return seconds
}

/** This process's descendants whose program has this name. */
export const pidsBelowNamed = (name: string): ReadonlyArray<number> => {
  const all = stats()
  return [...all].flatMap(([pid, stat]) =>
    stat.name === name && isBelow(all, pid, process.pid) ? [pid] : []
  )
}

/** The most memory that a process has had at once, in MiB. Memory that it shares with others counts in full. */
export const peakMebibytesOf = (pid: number): number => {
  const kibibytes = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]
  return Number(kibibytes) / 1_024
}

/** Memory of a process in MiB. Memory that it shares with others counts in parts. */
export const memoryMebibytesOf = (pid: number): number => {
  const kibibytes = /^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"))?.[1]
  return Number(kibibytes) / 1_024
}

/** Not every kernel keeps it. */
const SCHEDULE = "/proc/self/schedstat"

/** Seconds in which this process's main thread ran, or was ready and waited for a core; 0 if unknown. */
const readySeconds = (): number => {
  if (!existsSync(SCHEDULE)) return 0
  // Nanoseconds that it ran, nanoseconds that it waited, and how often it got a core.
  const [ran = 0, waited = 0] = readFileSync(SCHEDULE, "utf8").split(" ").map(Number)
  return (ran + waited) / 1e9
}

export interface Cost {
  readonly perSecond: number
  /** Part of the time in which the main thread ran or waited for a core. Near 1 it is never idle. 0: unknown. */
  readonly ready: number
  /** CPU seconds of this process and of its database per 1,000 items. */
  readonly process: number
  readonly database: number
  /** CPU seconds of the process, its database and its other children. */
  readonly all: number
}

/** Measures the cost of `work` on `items`. `others` are children other than the database. */
export const costOf =
  (items: number, others: ReadonlyArray<number | undefined>) =>
  <E, R>(work: Effect.Effect<void, E, R>): Effect.Effect<Cost, E, R> =>
    Effect.gen(function* () {
      const before = cpuSecondsBelow(others)
      const allBefore = cpuSecondsBelow([])
      const began = process.cpuUsage()
      const readyBefore = readySeconds()
      const elapsedMs = yield* timed(work)
      const { user, system } = process.cpuUsage(began)
      const own = (user + system) / 1_000 / items
      return {
        perSecond: (items / elapsedMs) * 1_000,
        ready: (readySeconds() - readyBefore) / (elapsedMs / 1_000),
        process: own,
        database: ((cpuSecondsBelow(others) - before) / items) * 1_000,
        all: own + ((cpuSecondsBelow([]) - allBefore) / items) * 1_000
      }
    })
