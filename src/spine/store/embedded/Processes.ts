/**
 * What the system tells about other processes: Linux in `/proc`, other systems by `ps` and `lsof`, which macOS always
 * has. The answer is undefined if the process has ended, or belongs to another user.
 */
import { spawnSync } from "node:child_process"
import { readFileSync, readlinkSync } from "node:fs"

const triedOnLinux = <A>(read: () => A): A | undefined => {
  try {
    return read()
  } catch {
    return undefined
  }
}

const printed = (program: string, ...args: ReadonlyArray<string>): string =>
  spawnSync(program, args, { encoding: "utf8" }).stdout ?? ""

export const workingFolderOf = (pid: number, platform = process.platform): string | undefined =>
  platform === "linux"
    ? triedOnLinux(() => readlinkSync(`/proc/${pid}/cwd`))
    : // A line for each field, which begins with the field's letter.
      /^n(.+)$/m.exec(printed("lsof", "-a", "-p", String(pid), "-d", "cwd", "-Fn"))?.[1]

export const parentOf = (pid: number, platform = process.platform): number | undefined => {
  const parent =
    platform === "linux"
      ? // The second field is the program's name in brackets and may contain spaces. State and parent follow.
        triedOnLinux(() => readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ")[1])
      : printed("ps", "-o", "ppid=", "-p", String(pid)).trim()
  return parent ? Number(parent) : undefined
}
