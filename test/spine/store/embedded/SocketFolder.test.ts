/** The folder of the server's socket is private, also where every user may write. */
import { chmodSync, lstatSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { socketFolder } from "../../../../src/spine/store/embedded/SocketFolder.ts"

const user = { prefix: [], owner: undefined }

it("the socket of a folder with a long name is in no folder that a link or another user chose", () => {
  const base = mkdtempSync(join(tmpdir(), "ledgerhook-sockets-"))
  const long = join(base, "a".repeat(100))
  const sockets = socketFolder(long, user)
  assert.strictEqual(lstatSync(sockets).mode & 0o777, 0o700)
  const own = join(base, "own")
  mkdirSync(own, { mode: 0o700 })
  rmSync(sockets, { recursive: true })
  symlinkSync(own, sockets)
  assert.throws(() => socketFolder(long, user), /belongs to somebody else/)
  rmSync(sockets)
  mkdirSync(sockets)
  chmodSync(sockets, 0o770)
  assert.throws(() => socketFolder(long, user), /belongs to somebody else/)
  for (const made of [sockets, base]) rmSync(made, { recursive: true })
})
