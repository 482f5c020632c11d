/**
 * The user that the server runs as. PostgreSQL refuses to run as root. If this program is root, the server runs in a
 * user namespace in which root's files belong to an ordinary user or, if there are none (macOS) or they are not allowed,
 * as the user `postgres` or `nobody`. That user owns the cluster and the socket's folder. It may only pass through DATA_DIR,
 * which contains keys. PostgreSQL also wants a user with a name; a container may run a program as a number without one
 * (OpenShift), which gets one in such a namespace.
 */
import { spawnSync } from "node:child_process"
import { chmodSync, chownSync, statSync } from "node:fs"
import { failure, reasonOf } from "./EmbeddedPostgresError.ts"

export interface ServerUser {
  /** Prefix of the command. */
  readonly prefix: ReadonlyArray<string>
  /** The owner of the server's folders, if it is not this program's user. */
  readonly owner: { readonly name: string; readonly uid: number; readonly gid: number } | undefined
}

const UNPRIVILEGED = 65_534
const NAMESPACE = ["unshare", "--user", `--map-user=${UNPRIVILEGED}`, `--map-group=${UNPRIVILEGED}`, "--"]

/** Runs a command. A command that does not exist counts as a failure; any other error is thrown. */
const tried = (
  program: string,
  args: ReadonlyArray<string>,
  options: { uid?: number; gid?: number } = {}
) => {
  const { error, status, stdout } = spawnSync(program, args, { ...options, encoding: "utf8" })
  if (error !== undefined && !["ENOENT", "EACCES"].includes(reasonOf(error))) {
    throw failure(`DATA_DIR: PostgreSQL cannot be started there: ${program} does not run (${error.message}).`)
  }
  return { worked: status === 0, stdout }
}

const idOf = (name: string, which: "-u" | "-g"): number | undefined => {
  const { stdout, worked } = tried("id", [which, name])
  return worked ? Number(stdout) : undefined
}

const accountOf = (name: string): ServerUser["owner"] => {
  const [uid, gid] = [idOf(name, "-u"), idOf(name, "-g")]
  return uid === undefined || gid === undefined ? undefined : { name, uid, gid }
}

/** Undefined if this user cannot run the server on this system. Throws if that cannot be determined. */
export const chooseServerUser = (): ServerUser | undefined => {
  const uid = process.getuid?.()
  if (uid === undefined || (uid !== 0 && tried("id", ["-un"]).worked)) return { prefix: [], owner: undefined }
  const [program, ...args] = NAMESPACE
  if (process.platform === "linux" && tried(program!, [...args, "true"]).worked)
    return { prefix: NAMESPACE, owner: undefined }
  if (uid !== 0)
    throw failure(
      `DATA_DIR: PostgreSQL cannot be started there: the user ${uid} has no name, and this system makes no user namespace for it; run as a user that /etc/passwd names, or set DATABASE_URL.`
    )
  const owner = accountOf("postgres") ?? accountOf("nobody")
  return owner === undefined ? undefined : { prefix: [], owner }
}

/** Program, arguments and spawn options to run `command` as that user. */
export const commandAs = ({ prefix, owner }: ServerUser, command: ReadonlyArray<string>) => {
  const [program, ...args] = [...prefix, ...command]
  return { program: program!, args, options: owner === undefined ? {} : { uid: owner.uid, gid: owner.gid } }
}

export const handOver = ({ owner }: ServerUser, folder: string): void => {
  if (owner !== undefined) chownSync(folder, owner.uid, owner.gid)
}

/** For folders above the cluster: another user may pass through, but not list or change them. */
export const folderMode = ({ owner }: ServerUser): number => (owner === undefined ? 0o700 : 0o711)

/** Lets another user pass through a folder that exists already. */
export const passThrough = ({ owner }: ServerUser, folder: string): void => {
  if (owner !== undefined) chmodSync(folder, (statSync(folder).mode & 0o7777) | 0o001)
}

/** Whether the user can reach the file through all folders above it. */
export const canReach = (user: ServerUser, path: string): boolean => {
  const { program, args, options } = commandAs(user, ["test", "-x", path])
  return tried(program, args, options).worked
}
