/** The processes of this machine: Linux lists them in `/proc`, other systems by `ps`. */
import { execFileSync } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import { parentOf } from "../../../src/spine/store/embedded/Processes.ts"

const ids = (): ReadonlyArray<number> => readdirSync("/proc").map(Number).filter(Number.isInteger)

const listed = (...columns: ReadonlyArray<string>): ReadonlyArray<string> =>
  execFileSync("ps", ["-axww", ...columns.flatMap((column) => ["-o", `${column}=`])], {
    encoding: "utf8"
  }).split("\n")

const onLinux = process.platform === "linux"

/** The command line of each process. */
export const commandLines = (): ReadonlyArray<string> =>
  !onLinux
    ? listed("command")
    : ids().flatMap((pid) => {
        try {
          return [readFileSync(`/proc/${pid}/cmdline`, "utf8")]
        } catch {
          // It has ended meanwhile.
          return []
        }
      })

const parents = (): ReadonlyArray<readonly [pid: number, parent: number | undefined]> =>
  onLinux
    ? ids().map((pid) => [pid, parentOf(pid)])
    : listed("pid", "ppid").map((line) => {
        const [pid, parent] = line.trim().split(/ +/).map(Number)
        return [pid!, parent]
      })

/** Sends SIGKILL to a process and to everything that it has started. */
export const killTreeOf = (root: number): void => {
  const all = parents()
  const tree = [root]
  for (const pid of tree) for (const [child, parent] of all) if (parent === pid) tree.push(child)
  for (const pid of tree) {
    try {
      process.kill(pid, "SIGKILL")
    } catch {
      // It has ended meanwhile.
    }
  }
}
