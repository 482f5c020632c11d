/** How many files and connections a process may have open, as Linux says it. Other systems say nothing here. */
import { readFileSync } from "node:fs"
import { Context } from "effect"

export interface OpenFileLimit {
  /** The limit now. */
  readonly now: number
  /** The most that the process may raise it to. Node does so at its start. */
  readonly most: number
}

const numberOf = (text: string): number => (text === "unlimited" ? Number.POSITIVE_INFINITY : Number(text))

/** Reads the text of `/proc/<pid>/limits`. */
export const openFileLimitIn = (text: string): OpenFileLimit | undefined => {
  const [, now, most] = /^Max open files +(\d+|unlimited) +(\d+|unlimited)/m.exec(text) ?? []
  return now === undefined || most === undefined ? undefined : { now: numberOf(now), most: numberOf(most) }
}

/** Undefined if the system does not say it. */
export const openFileLimit = (pid: number | "self"): OpenFileLimit | undefined => {
  try {
    return openFileLimitIn(readFileSync(`/proc/${pid}/limits`, "utf8"))
  } catch {
    return undefined
  }
}

/** How many files this process may have open; undefined if nobody says it. A test can lower it. */
export const OwnOpenFiles = Context.Reference<number | undefined>("ledgerhook/observe/OwnOpenFiles", {
  defaultValue: () => openFileLimit("self")?.now
})
