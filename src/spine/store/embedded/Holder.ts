/** The file `holder` in DATA_DIR: which process has started the embedded server, and for which command. */
import { existsSync, readFileSync, renameSync } from "node:fs"
import { join, resolve } from "node:path"
import { written } from "../NewFile.ts"
import { isAlive } from "./Postmaster.ts"

export const SERVICE = "ledgerhook start"

export interface Holder {
  readonly pid: number
  readonly command: string
}

const fileIn = (dataDir: string) => join(resolve(dataDir), "holder")

/** Undefined if the process has ended. */
export const holderOf = (dataDir: string): Holder | undefined => {
  const file = fileIn(dataDir)
  const [first = "", command = ""] = existsSync(file) ? readFileSync(file, "utf8").split("\n") : []
  const pid = Number(first)
  return pid > 0 && isAlive(pid) ? { pid, command } : undefined
}

/** The process id of the service that has the folder. */
export const serviceHolding = (dataDir: string): number | undefined => {
  const holder = holderOf(dataDir)
  return holder?.command === SERVICE ? holder.pid : undefined
}

export const writeHolder = (dataDir: string, command: string) => {
  const file = fileIn(dataDir)
  renameSync(written(file, `${process.pid}\n${command}`), file)
}
