/** What probes of a part have found, as a process keeps it: a part has failed if two probes in a row failed. Pure. */

import { Limits } from "../../../spine/config/Limits.ts"
import { counted, duration, seconds, size } from "../../../spine/words/Words.ts"
import { operateLimits } from "../Limits.ts"
import type { PartState } from "./Parts.ts"
import type { PartInProcess } from "./SeenProcess.ts"

export interface ProbedPart extends PartInProcess {
  /** Failed probes since the newest other one. */
  readonly failures: number
}

const UNKNOWN: ProbedPart = { status: "starting", detail: "is not known yet", failures: 0 }

export const afterProbe = (before: ProbedPart = UNKNOWN, found: PartInProcess): ProbedPart => {
  if (found.status !== "failed") return { ...found, failures: 0 }
  const failures = before.failures + 1
  // One may be a lost packet.
  return failures < 2 ? { ...before, failures } : { ...found, failures }
}

/** `slowForMs`: for how long each answer has taken longer than `databaseSlowMs`. */
export const databasePart = (tookMs: number, slowForMs: number): PartInProcess => {
  const detail = `answers within ${Math.ceil(tookMs)} ms`
  return slowForMs < Limits.troubleMs
    ? { status: "ok", detail }
    : { status: "degraded", detail: `takes ${seconds(tookMs, 1)} for a small statement` }
}

/** `aheadMs`: how far the process's clock is ahead of the database's. The answer took `tookMs`. */
export const clockPart = (aheadMs: number, tookMs: number): PartInProcess => {
  if (Math.abs(aheadMs) <= operateLimits.clockOffsetMs + tookMs)
    return { status: "ok", detail: "agrees with the database's" }
  return {
    status: "failed",
    detail: `its clock is ${seconds(Math.abs(aheadMs), 0)} ${aheadMs > 0 ? "ahead of" : "behind"} the database's`
  }
}

export const diskPart = (freeBytes: number): PartInProcess => {
  const free = `${size(freeBytes)} are free at DATA_DIR`
  if (freeBytes < operateLimits.diskFreeBytes / 10) return { status: "failed", detail: free }
  return { status: freeBytes < operateLimits.diskFreeBytes ? "degraded" : "ok", detail: free }
}

/** What the registry said: why it did not answer, or for each schema whether it has it. */
export const registryPart = (said: string | ReadonlyArray<boolean>): PartState => {
  const part = "registry"
  if (typeof said === "string")
    return { part, state: "failed", sentence: `The schema registry does not answer: ${said}` }
  const gone = said.filter((has) => !has).length
  return gone === 0
    ? { part, state: "ok", sentence: "has all schemas" }
    : {
        part,
        state: "failed",
        sentence: `The schema registry does not have ${gone} of ${said.length} schemas: readers of the event topics cannot decode records. A process with the role ingest registers them again within a minute. If they get other ids, which its log says, restore the registry's data.`
      }
}

export interface RejectedMails {
  readonly rejected: number
  /** Since the oldest of them was queued. */
  readonly rejectedMs: number
  /** What the server said to one of them. */
  readonly error: string | null
}

export const mailPart = ({ error, rejected, rejectedMs }: RejectedMails): PartState =>
  rejectedMs <= operateLimits.laterMs.notices
    ? { part: "mail", state: "ok", sentence: "no mail is rejected" }
    : {
        part: "mail",
        state: "failed",
        sentence: `The mail server does not take ${counted(rejected, "mail", "mails")}, the oldest for ${duration(rejectedMs)}: ${error}. They are tried again for three days; correct SMTP_URL or MAIL_FROM.`
      }

export interface Lock {
  /** Statements that wait for it, the first of them for `waitedMs`. */
  readonly statements: number
  readonly waitedMs: number
  /** The session that holds it. */
  readonly pid: number
  readonly name: string
  readonly state: string
}

export const locksPart = ({ name, pid, state, statements, waitedMs }: Lock): PartState => ({
  part: "locks",
  state: "failed",
  sentence: `${counted(statements, "statement waits", "statements wait")} for a lock in PostgreSQL, the first for ${duration(waitedMs)}. Session ${pid} (${name === "" ? "no name" : name}, ${state}) holds it. If it is not needed, end it: SELECT pg_terminate_backend(${pid}).`
})
