/**
 * Who serves a cluster, as its lock files and the system say. After a crash the numbers in those files may belong to any
 * other process, so a process counts only when its working directory is the cluster.
 */
import { existsSync, readFileSync, readlinkSync, realpathSync, rmSync } from "node:fs"
import { join } from "node:path"
import { reasonOf } from "./EmbeddedPostgresError.ts"

export const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return reasonOf(error) === "EPERM"
  }
}

/** Whether that process is a server of this cluster: its working directory is the cluster. */
const serves = (pid: number, cluster: string): boolean => {
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === realpathSync(cluster)
  } catch {
    return false
  }
}

/** Whether `parent`, our watchdog, started that process: of two programs at once, one sees the other's server. */
export const isChildOf = (pid: number, parent: number | undefined): boolean => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
    // The second field is the program's name in brackets and may hold spaces; state and parent follow it.
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]) === parent
  } catch {
    return false
  }
}

/** What postmaster.pid says: its first line is the process, its eighth the state. */
export const postmaster = (
  cluster: string
): { readonly pid: number; readonly ready: boolean } | undefined => {
  try {
    const lines = readFileSync(join(cluster, "postmaster.pid"), "utf8").split("\n")
    const pid = Number(lines[0])
    // After a crash the number may belong to any other process, another cluster's server too.
    return serves(pid, cluster) ? { pid, ready: lines[7]?.trim() === "ready" } : undefined
  } catch {
    return undefined
  }
}

/**
 * PostgreSQL takes the living process that a lock file names for its predecessor and refuses to start. After a crash
 * that number may be anybody's: such a file goes. One of a dead process it replaces itself, with checks of its own.
 */
export const removeStaleLocks = (cluster: string, socket: string): void => {
  for (const file of [join(cluster, "postmaster.pid"), `${socket}.lock`]) {
    if (!existsSync(file)) continue
    const pid = Number(readFileSync(file, "utf8").split("\n")[0])
    // An empty file is one that a server is about to fill: it reads as 0, which is no process.
    if (pid > 0 && isAlive(pid) && !serves(pid, cluster)) rmSync(file, { force: true })
  }
}
