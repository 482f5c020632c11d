/**
 * A private folder for the server's socket: in DATA_DIR if that path is short enough for a socket, otherwise in the
 * system's temporary folder, named after DATA_DIR.
 */
import { createHash } from "node:crypto"
import { lstatSync, mkdirSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { handOver, type ServerUser } from "./ServerUser.ts"

/** macOS limits a socket's path to 104 bytes with its NUL, Linux to 108. The file name takes 14 bytes and a slash. */
const FOLDER_BYTES_MAX = 103 - 15

/** Only part of the socket's name: nothing listens on the network. */
export const PORT = 5432

export const socketFolderIn = (dataDir: string, temporary: string): string => {
  const inside = join(dataDir, "run")
  return Buffer.byteLength(inside) <= FOLDER_BYTES_MAX
    ? inside
    : join(temporary, `ledgerhook-${createHash("sha256").update(dataDir).digest("hex").slice(0, 16)}`)
}

export const socketFolder = (dataDir: string, user: ServerUser): string => {
  const folder = socketFolderIn(dataDir, tmpdir())
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  // Any user may write to the temporary folder, so a folder that another user made is refused, and a link too: its
  // mode lets everybody do everything.
  const { uid, mode } = lstatSync(folder)
  if ((uid !== process.getuid?.() && uid !== user.owner?.uid) || (mode & 0o077) !== 0) {
    throw new Error(`${folder} belongs to somebody else`)
  }
  handOver(user, folder)
  return folder
}
