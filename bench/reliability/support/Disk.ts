/**
 * The folder of the database's files. As root it is a tmpfs of its own, which can be made full without filling the
 * machine's disk; else it is an ordinary folder, and `full` is undefined.
 */
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, statfsSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, type Scope } from "effect"

export interface Disk {
  readonly folder: string
  /** No byte can be added until `free` runs. */
  readonly full: { readonly begin: Effect.Effect<void>; readonly end: Effect.Effect<void> } | undefined
}

const SIZE = "8g"

const mount = (...args: ReadonlyArray<string>): boolean => spawnSync("mount", args).status === 0

/** The tmpfs is limited to what it holds now. Its size is a number of whole blocks. */
const usedBytes = (folder: string): number => {
  const { blocks, bfree, bsize } = statfsSync(folder)
  return (blocks - bfree) * bsize
}

const remount = (folder: string, size: () => string) =>
  Effect.sync(() => {
    // Files may grow between the reading and the mount, which then is refused.
    while (!mount("-o", `remount,size=${size()}`, folder));
  })

export const makeDisk: Effect.Effect<Disk, never, Scope.Scope> = Effect.gen(function* () {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "ledgerhook-disk-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
  )
  const mounted = yield* Effect.acquireRelease(
    Effect.sync(() => mount("-t", "tmpfs", "-o", `size=${SIZE},mode=0711`, "tmpfs", folder)),
    // Lazily: a database that is being killed may still have its files open.
    (is) => Effect.sync(() => void (is && spawnSync("umount", ["--lazy", folder])))
  )
  return {
    folder,
    full: mounted
      ? { begin: remount(folder, () => String(usedBytes(folder))), end: remount(folder, () => SIZE) }
      : undefined
  }
})
