/** What a process has said of itself. Pure. */
import { Limits } from "../../../spine/config/Limits.ts"

export interface PartInProcess {
  readonly status: "ok" | "starting" | "degraded" | "failed"
  /** For an operator, without secrets. */
  readonly detail: string
}

/** Attempts of a process, those of them that delivered, and how long all of them took together. */
export interface Sent {
  readonly attempts: number
  readonly delivered: number
  readonly seconds: number
}

/** A process that has run within the last day. */
export interface SeenProcess {
  readonly host: string
  readonly pid: number
  readonly version: string
  readonly roles: ReadonlyArray<string>
  /** Roles that have failed and are being restarted. */
  readonly failing: ReadonlyArray<string>
  /** When it last said that it runs, by the database's clock, before now. */
  readonly seenAgoMs: number
  /** Whether it stopped in order. */
  readonly stopped: boolean
  /** The leases that it has: what only one process does at a time. */
  readonly holds: ReadonlyArray<string>
  readonly parts: Readonly<Record<string, PartInProcess>>
  /** By stage: how long the oldest item has waited for this process itself. */
  readonly behindMs: Readonly<Partial<Record<string, number>>>
  /** In the last minute. Null if it does not deliver. */
  readonly sent: Sent | null
}

/** Whether it said within `leaseMs` that it runs. */
export const isAlive = ({ seenAgoMs, stopped }: SeenProcess): boolean =>
  !stopped && seenAgoMs <= Limits.leaseMs

const ROLE = "role "
/** The name under which a process says in its parts why a role fails. */
export const rolePart = (role: string): string => `${ROLE}${role}`
export const isRolePart = (part: string): boolean => part.startsWith(ROLE)

/** `host b, pid 311, version 0.3.0` */
export const named = ({ host, pid, version }: SeenProcess) => `host ${host}, pid ${pid}, version ${version}`
