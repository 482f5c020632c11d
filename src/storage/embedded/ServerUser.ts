/**
 * PostgreSQL refuses to run as root. Where this program does, the server runs in a user namespace in which root's files
 * belong to an ordinary user; where namespaces are not allowed, the user `postgres` or `nobody` would need the folder
 * for itself, so the operator is told to run as an ordinary user instead.
 */
import { spawnSync } from "node:child_process"

const UNPRIVILEGED = 65_534
const NAMESPACE = [
  "unshare",
  "--user",
  `--map-user=${UNPRIVILEGED}`,
  `--map-group=${UNPRIVILEGED}`,
  "--"
] as const

const isRoot = (): boolean => process.getuid?.() === 0

/** Whether the server can run at all under this user. */
export const canRunServer = (): boolean =>
  !isRoot() || spawnSync(NAMESPACE[0], [...NAMESPACE.slice(1), "true"]).status === 0

/** Program and arguments that run `command` as a user PostgreSQL accepts. */
export const asServerUser = (
  command: ReadonlyArray<string>
): readonly [program: string, args: ReadonlyArray<string>] => {
  const [program, ...args] = isRoot() ? [...NAMESPACE, ...command] : command
  return [program!, args]
}
