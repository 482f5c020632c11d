/**
 * The ingest of one network: what the process that ingests it knows (table `networks`), and what that means, with one
 * sentence for an operator. Every process and every face shows this and adds nothing. Durations in the facts are as
 * of the moment when they were written. Only the database's clock says how long ago that was. Pure.
 */

import { Limits } from "../../config/Limits.ts"
import type { Network } from "../../event/Network.ts"
import { count, counted, roughly, seconds } from "../../words/Words.ts"
import { ledgerLimits } from "../Limits.ts"

/**
 * A network was reset if all servers are more ledgers than this below the last one taken: about an hour. A server that was
 * restored from a backup may be some minutes behind.
 */
const RESET_GAP = 1_000

export interface ServerFacts {
  /** Host of its address. */
  readonly address: string
  readonly state: "active" | "standby" | "connecting" | "idle" | "backing_off"
  /** The newest ledger that it announced over its present connection. */
  readonly head: number | null
  /** The ranges of ledgers that it claims to have. */
  readonly ledgers: string | null
  /** Its last fault, and whether only an operator can end it. */
  readonly last_fault: { readonly reason: string; readonly detail: string; readonly is_unfit: boolean } | null
  readonly backing_off_until: string | null
}

/** Times are ISO 8601. */
export interface NetworkFacts {
  /** The server that is asked first. */
  readonly server: string | null
  /** In the operator's order. Empty for a simulated network. */
  readonly servers: ReadonlyArray<ServerFacts>
  /** The newest ledger that a credible server announced, also if the server is gone since. */
  readonly head: number | null
  readonly head_at: string | null
  readonly head_ago_ms: number | null
  /** The last ledger whose events are in the log, or the one before the first to take. */
  readonly last_taken: number | null
  /** Null: no ledger of this chain was taken. */
  readonly last_close_time: string | null
  /** Since a ledger was taken or ingest began. */
  readonly moved_ago_ms: number
  /** Why the next ledger cannot be taken. `stopped`: it does not link to the last one. */
  readonly obstacle: { readonly kind: "waiting" | "stopped"; readonly detail: string } | null
  /** The last fault of any server. */
  readonly last_error: { readonly server: string; readonly detail: string } | null
  /** Why no ledger is expected. */
  readonly idle: string | null
  readonly skipped_ledgers: number | null
  readonly ledgers_per_second: number | null
  readonly seconds_left: number | null
}

/** The row of a network. */
export interface SeenFacts {
  readonly facts: NetworkFacts
  /** How long ago the process that ingests the network wrote the facts, by the database's clock. */
  readonly seenAgoMs: number
}

/** `reset`: the servers are far below the last ledger taken. No ledger can be taken. */
export type NetworkStatus = "ok" | "starting" | "degraded" | "failed" | "reset"

export interface NetworkState {
  readonly status: NetworkStatus
  readonly detail: string
}

export interface SeenNetwork extends SeenFacts, NetworkState {
  readonly network: Network
}

const ledgers = (n: number): string => counted(n, "ledger", "ledgers")

const isConnected = ({ state }: ServerFacts): boolean => state === "active" || state === "standby"
const isUnfit = (server: ServerFacts): boolean => server.last_fault?.is_unfit === true && !isConnected(server)

/** What each connected server announced. If none has: the newest ledger that is known. */
const heads = ({ head, servers }: NetworkFacts): ReadonlyArray<number> => {
  const connected = servers.filter(isConnected).flatMap((one) => one.head ?? [])
  return connected.length > 0 || head === null ? connected : [head]
}

const serverText = (server: ServerFacts): string =>
  `${server.address}: ${isConnected(server) ? "connected, but silent" : (server.last_fault?.detail ?? server.state.replace("_", " "))}`

const named = (sentence: string, servers: ReadonlyArray<ServerFacts>): string =>
  `${sentence}${servers.length === 0 ? "" : ": "}${servers.map(serverText).join("; ")}.`

/** Whether servers with these heads are too far below the last ledger taken to lag only. */
const isReset = (heads: ReadonlyArray<number>, taken: number): boolean =>
  heads.length > 0 && heads.every((head) => taken - head > RESET_GAP)

export const belowSentence = (heads: ReadonlyArray<number>, taken: number): string =>
  `Servers are at ledger ${count(Math.max(...heads))}; the last one taken is ${count(taken)}: ${
    isReset(heads, taken)
      ? "the network was reset, or the servers are wrong"
      : "they lag, or the network was reset"
  }.`

/**
 * Set while the head is below the last ledger taken, so that no ledger can be taken. Servers may lag for a moment;
 * `isLasting` says that they do not.
 */
export const headTooLow = (
  facts: NetworkFacts
): (NetworkState & { readonly isLasting: boolean }) | undefined => {
  const { head, idle, last_close_time: closed, last_taken: taken, moved_ago_ms: movedAgoMs } = facts
  if (idle !== null || head === null || taken === null || head >= taken) return undefined
  const isLasting = taken - head > Limits.ledgerNearHead || movedAgoMs > Limits.troubleMs
  const status = isLasting ? "failed" : "degraded"
  if (closed === null)
    return {
      status,
      isLasting,
      detail: `Servers are at ledger ${count(head)}; the first one to take is ${count(taken + 1)}.`
    }
  const announced = heads(facts)
  return {
    status: isReset(announced, taken) ? "reset" : status,
    isLasting,
    detail: belowSentence(announced, taken)
  }
}

/** How many announced ledgers are not taken. */
export const ledgersLeft = ({ head, last_taken: taken }: NetworkFacts): number =>
  head === null || taken === null ? 0 : Math.max(0, head - taken)

const progressSentence = (facts: NetworkFacts): string => {
  const left = ledgersLeft(facts)
  // One ledger is normal: it was just announced and is being fetched.
  if (left <= 1) return "At the head."
  const { ledgers_per_second: rate, seconds_left: time } = facts
  const until =
    time !== null ? `, about ${roughly(time * 1_000)}` : rate === null ? "" : ", not becoming fewer"
  return `Catching up: ${ledgers(left)} left${until}.`
}

/** The state as the process that ingests the network sees it. */
export const networkState = (facts: NetworkFacts): NetworkState => {
  const { head, head_ago_ms: headAgoMs, idle, moved_ago_ms: movedAgoMs, obstacle, servers } = facts
  if (obstacle?.kind === "stopped") return { status: "failed", detail: `Stopped: ${obstacle.detail}.` }
  if (idle !== null) return { status: "ok", detail: `Idle: ${idle}.` }
  const unfit = servers.filter(isUnfit)
  const stranger = unfit.find(({ last_fault }) => last_fault?.reason === "other_chain")
  if (facts.server === null && stranger !== undefined && unfit.length === servers.length)
    return { status: "failed", detail: `Stopped: ${serverText(stranger)}.` }
  const low = headTooLow(facts)
  if (low?.status === "reset") return low
  if (head === null || headAgoMs === null)
    return {
      status: movedAgoMs > Limits.troubleMs ? "failed" : "starting",
      detail: named("No server has announced a ledger yet", servers)
    }
  if (headAgoMs > Limits.troubleMs)
    return {
      status: "failed",
      detail: named(`No server announced a ledger for ${seconds(headAgoMs, 0)}`, servers)
    }
  const trouble = facts.last_error === null ? "" : `: ${facts.last_error.server}: ${facts.last_error.detail}`
  const left = ledgersLeft(facts)
  // If only the head is missing, ingest could not take it before it was announced.
  const standingMs = left === 0 ? 0 : left === 1 ? Math.min(movedAgoMs, headAgoMs) : movedAgoMs
  if (standingMs > ledgerLimits.ledgerStandingMs)
    return {
      status: standingMs > Limits.troubleMs ? "failed" : "degraded",
      detail: `${ledgers(left)} left, and none was taken for ${seconds(standingMs, 0)}${obstacle === null ? trouble : `: ${obstacle.detail}`}.`
    }
  if (low !== undefined) return low
  if (facts.server === null) return { status: "degraded", detail: `Reconnecting to the servers${trouble}.` }
  const progress = progressSentence(facts)
  return unfit.length === 0
    ? { status: "ok", detail: progress }
    : { status: "degraded", detail: named(`${progress} Left out`, unfit) }
}

/** Whether the facts are of a process that is gone or frozen. */
export const isSilent = ({ seenAgoMs }: SeenFacts): boolean => seenAgoMs > Limits.leaseMs

/** The state as any process reads it. */
export const seenState = (seen: SeenFacts): NetworkState =>
  isSilent(seen)
    ? {
        status: "failed",
        detail: `No process takes ledgers: the last one became silent ${seconds(seen.seenAgoMs, 0)} ago.`
      }
    : networkState(seen.facts)

/**
 * How long ago the newest taken ledger closed, and whose fault that is: the service's if a server is ahead or no process
 * ingests the network. 0 while a simulated network is idle or nothing was taken.
 */
export const ingestAge = (
  { facts, seenAgoMs }: SeenFacts,
  nowMs: number
): { readonly oldestMs: number; readonly because: "service" | "outside" } => {
  const { head, idle, last_close_time: closed, last_taken: taken, servers } = facts
  if (idle !== null || closed === null || taken === null) return { oldestMs: 0, because: "outside" }
  // The head of a server that is gone cannot be fetched. A simulated network has no servers.
  const isAhead =
    head !== null &&
    head > taken &&
    (servers.length === 0 || servers.some((one) => isConnected(one) && (one.head ?? 0) > taken))
  return {
    oldestMs: Math.max(0, nowMs - Date.parse(closed)),
    because: isAhead || isSilent({ facts, seenAgoMs }) ? "service" : "outside"
  }
}

/** As `/readyz` shows the facts: `servers.<place>.<field>`. */
export const flatFacts = (facts: NetworkFacts): Readonly<Record<string, string | number | null>> => ({
  server: facts.server,
  head: facts.head,
  head_at: facts.head_at,
  last_taken: facts.last_taken,
  last_close_time: facts.last_close_time,
  obstacle: facts.obstacle?.detail ?? null,
  skipped_ledgers: facts.skipped_ledgers,
  behind: facts.head === null ? null : ledgersLeft(facts),
  ledgers_per_second: facts.ledgers_per_second,
  seconds_left: facts.seconds_left,
  ...Object.fromEntries(
    facts.servers.flatMap(({ last_fault: fault, ...server }, i) =>
      Object.entries({
        ...server,
        last_fault: fault === null ? null : `${fault.reason}: ${fault.detail}`
      }).map(([field, value]) => [`servers.${i + 1}.${field}`, value])
    )
  )
})
