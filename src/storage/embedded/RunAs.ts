/**
 * As whom PostgreSQL runs: it refuses to be root. Any other user runs it directly. Root runs it in a user namespace
 * in which root bears the number of nobody, so that its files stay root's, also below private folders; where the
 * kernel does not allow that, as the system's user `postgres` or `nobody`, to whom its folders are handed over.
 */
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { Effect } from "effect"
import type { Binaries } from "./Binaries.ts"
import { failure, outputSummary } from "./EmbeddedPostgresError.ts"

export interface RunAs {
  /** Words to put before the command. */
  readonly prefix: ReadonlyArray<string>
  /** The user and group to switch to, and that own the server's folders. */
  readonly switchTo: { readonly uid: number; readonly gid: number } | undefined
}

/** The number of nobody on every Linux. */
const NOBODY = 65_534

/** A child's environment: nothing of ours (settings, secrets, PGPORT and the like) reaches the server. */
export const childEnvironment = ({ libraries }: Binaries): Record<string, string> => ({
  PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
  LC_ALL: "C",
  ...(libraries === undefined ? {} : { LD_LIBRARY_PATH: libraries })
})

const systemUsers = (): ReadonlyArray<{ readonly uid: number; readonly gid: number }> => {
  const lines = fs.existsSync("/etc/passwd") ? fs.readFileSync("/etc/passwd", "utf8").split("\n") : []
  return ["postgres", "nobody"].flatMap((name) =>
    lines
      .map((line) => line.split(":"))
      .filter((fields) => fields[0] === name && fields[2] !== "0")
      .map((fields) => ({ uid: Number(fields[2]), gid: Number(fields[3]) }))
  )
}

const candidates = (): ReadonlyArray<RunAs> => [
  {
    prefix: ["unshare", "--user", `--map-user=${NOBODY}`, `--map-group=${NOBODY}`],
    switchTo: undefined
  },
  ...systemUsers().map((switchTo) => ({ prefix: [], switchTo }))
]

/** Undefined when PostgreSQL runs so and can look into `folder`; otherwise why not. */
const fault = (binaries: Binaries, { prefix, switchTo }: RunAs, folder: string): string | undefined => {
  const postgres = path.join(binaries.bin, "postgres")
  const [command, ...args] = [...prefix, "sh", "-c", 'cd "$1" && "$2" -V', "sh", folder, postgres]
  const { status, stderr, error } = spawnSync(command!, args, {
    env: childEnvironment(binaries),
    cwd: "/",
    encoding: "utf8",
    ...switchTo
  })
  return status === 0 ? undefined : outputSummary(error?.message ?? stderr)
}

/** Lets another user pass through `folder` to what is below it, without listing it. */
const letThrough = (folder: string) => {
  const { mode } = fs.statSync(folder)
  if ((mode & 0o011) !== 0o011) fs.chmodSync(folder, (mode & 0o7777) | 0o011)
}

/** The first way that works here; `folder` (absolute, existing) is the one the server's own folders are made in. */
export const chooseRunAs = Effect.fnUntraced(function* (binaries: Binaries, folder: string) {
  if (process.getuid?.() !== 0) return { prefix: [], switchTo: undefined } satisfies RunAs
  const faults: Array<string> = []
  for (const candidate of candidates()) {
    if (candidate.switchTo !== undefined) letThrough(folder)
    const found = fault(binaries, candidate, folder)
    if (found === undefined) return candidate
    const name = candidate.switchTo === undefined ? "unshare" : `user ${candidate.switchTo.uid}`
    faults.push(`${name}: ${found}`)
  }
  return yield* failure(
    "User",
    `PostgreSQL does not run as root, and nothing else works here (${faults.join("; ")}); start the program as another user, or set DATABASE_URL.`
  )
})

/** Gives a folder and all in it to the user the server runs as; nothing happens where it is theirs already. */
export const handOver = (folder: string, { switchTo }: RunAs): void => {
  if (process.getuid?.() !== 0) return
  const { uid, gid } = switchTo ?? { uid: 0, gid: 0 }
  if (fs.lstatSync(folder).uid === uid) return
  // The folder itself comes last: its owner tells that all below it is done.
  for (const entry of fs.readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    fs.lchownSync(path.join(folder, entry), uid, gid)
  }
  fs.lchownSync(folder, uid, gid)
}
