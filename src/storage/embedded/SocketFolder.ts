/**
 * A private folder for the server's socket: in DATA_DIR where its path is short enough for a socket, else one of this
 * user's own under the system's temporary folder, named after DATA_DIR.
 */
import { createHash } from "node:crypto"
import { mkdirSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { handOver, type ServerUser } from "./ServerUser.ts"

/** Linux holds a socket's path in 108 bytes, the closing NUL included; the file's name takes 14 and a slash. */
const FOLDER_BYTES_MAX = 107 - 15

/** Part of the socket's name; nothing listens on the network. */
export const PORT = 5432

export const socketFolder = (dataDir: string, user: ServerUser): string => {
  const inside = join(dataDir, "run")
  const short = Buffer.byteLength(inside) <= FOLDER_BYTES_MAX
  const folder = short
    ? inside
    : join(tmpdir(), `ledgerhook-${createHash("sha256").update(dataDir).digest("hex").slice(0, 16)}`)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  // The temporary folder is everybody's: one that another user made there first is not ours.
  const { uid, mode } = statSync(folder)
  if ((uid !== process.getuid?.() && uid !== user.owner?.uid) || (mode & 0o077) !== 0) {
    throw new Error(`${folder} belongs to somebody else`)
  }
  handOver(user, folder)
  return folder
}
