/**
 * PostgreSQL refuses to run as root. Where this program does, the server runs in a user namespace in which root's files
 * belong to an ordinary user; where namespaces are not allowed, as the user `postgres` or `nobody`, to whom the folder
 * is then handed over.
 */
import { spawnSync } from "node:child_process"
import { chownSync } from "node:fs"

export interface ServerUser {
  /** Put before the command. */
  readonly prefix: ReadonlyArray<string>
  /** To whom the server's folders belong, where that is not this program's user. */
  readonly owner: { readonly name: string; readonly uid: number; readonly gid: number } | undefined
}

const UNPRIVILEGED = 65_534
const NAMESPACE = ["unshare", "--user", `--map-user=${UNPRIVILEGED}`, `--map-group=${UNPRIVILEGED}`, "--"]

const idOf = (name: string, which: "-u" | "-g"): number | undefined => {
  const { status, stdout } = spawnSync("id", [which, name], { encoding: "utf8" })
  return status === 0 ? Number(stdout) : undefined
}

const accountOf = (name: string): ServerUser["owner"] => {
  const [uid, gid] = [idOf(name, "-u"), idOf(name, "-g")]
  return uid === undefined || gid === undefined ? undefined : { name, uid, gid }
}

/** Undefined: there is no way to run the server on this system as this user. */
export const chooseServerUser = (): ServerUser | undefined => {
  if (process.getuid?.() !== 0) return { prefix: [], owner: undefined }
  const [program, ...args] = NAMESPACE
  if (spawnSync(program!, [...args, "true"]).status === 0) return { prefix: NAMESPACE, owner: undefined }
  const owner = accountOf("postgres") ?? accountOf("nobody")
  return owner === undefined ? undefined : { prefix: [], owner }
}

/** Program, arguments and spawn options that run `command` as that user. */
export const commandAs = ({ prefix, owner }: ServerUser, command: ReadonlyArray<string>) => {
  const [program, ...args] = [...prefix, ...command]
  return { program: program!, args, options: owner === undefined ? {} : { uid: owner.uid, gid: owner.gid } }
}

export const handOver = ({ owner }: ServerUser, folder: string): void => {
  if (owner !== undefined) chownSync(folder, owner.uid, owner.gid)
}

/** Whether the user can get to the file at all, through all folders above it. */
export const canReach = (user: ServerUser, path: string): boolean => {
  const { program, args, options } = commandAs(user, ["test", "-x", path])
  return spawnSync(program, args, options).status === 0
}
