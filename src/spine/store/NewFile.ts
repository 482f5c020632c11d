/**
 * New files in DATA_DIR. What stands under the name already, perhaps a link that somebody planted, is deleted and never
 * followed, so the file has the mode that is given here.
 */
import { closeSync, fsyncSync, openSync, rmSync, writeSync } from "node:fs"

/** Only the process's user can read the file. */
const MODE = 0o600

/** Opens a new file for writing. */
export const openNew = (path: string): number => {
  rmSync(path, { force: true })
  return openSync(path, "wx", MODE)
}

/** Writes and syncs a file of this process, which the caller then renames or links into place. */
export const written = (path: string, text: string): string => {
  const fresh = `${path}.${process.pid}`
  const file = openNew(fresh)
  writeSync(file, text)
  fsyncSync(file)
  closeSync(file)
  return fresh
}
