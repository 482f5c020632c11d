/**
 * Finds the server of a cluster by its lock files. After a crash the numbers in them may belong to any process, so a
 * process counts only if its working directory is the cluster.
 */
import { existsSync, readFileSync, realpathSync, rmSync } from "node:fs"
import { join } from "node:path"
import { reasonOf } from "./EmbeddedPostgresError.ts"
import { parentOf, workingFolderOf } from "./Processes.ts"

export const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return reasonOf(error) === "EPERM"
  }
}

/** Whether that process is a server of this cluster. */
const serves = (pid: number, cluster: string): boolean => {
  const folder = workingFolderOf(pid)
  return folder !== undefined && existsSync(cluster) && folder === realpathSync(cluster)
}

/** Whether our watchdog `parent` started that process. If two programs start at once, one sees the other's server. */
export const isChildOf = (pid: number, parent: number | undefined): boolean => parentOf(pid) === parent

/** Reads postmaster.pid: the first line is the process id, the eighth the state. */
export const postmaster = (
  cluster: string
): { readonly pid: number; readonly ready: boolean } | undefined => {
  try {
    const lines = readFileSync(join(cluster, "postmaster.pid"), "utf8").split("\n")
    const pid = Number(lines[0])
    // After a crash the number may belong to any process, also to another cluster's server.
    return serves(pid, cluster) ? { pid, ready: lines[7]?.trim() === "ready" } : undefined
  } catch {
    return undefined
  }
}

/**
 * Deletes lock files that name a living process which is no server of this cluster: PostgreSQL would take it for a
 * running server and refuse to start. A lock file of a dead process stays, because PostgreSQL checks and replaces it.
 */
export const removeStaleLocks = (cluster: string, socket: string): void => {
  for (const file of [join(cluster, "postmaster.pid"), `${socket}.lock`]) {
    if (!existsSync(file)) continue
    const pid = Number(readFileSync(file, "utf8").split("\n")[0])
    // An empty file means that a server is about to write its process id. It reads as 0, which is no process.
    if (pid > 0 && isAlive(pid) && !serves(pid, cluster)) rmSync(file, { force: true })
  }
}
