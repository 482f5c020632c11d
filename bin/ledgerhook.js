#!/usr/bin/env node
// The `ledgerhook` command. TypeScript runs directly on the pinned Node 24; an older Node starts the pinned one.
import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import module from "node:module"
import { fileURLToPath } from "node:url"

const itself = fileURLToPath(import.meta.url)
const pinned = fileURLToPath(new URL("../node_modules/.bin/node", import.meta.url))

if (Number(process.versions.node.split(".")[0]) >= 24) {
  // Caches compiled code, which halves the start of a command. The cache is not in the folder for temporary files, where
  // other users could place code. If the folder is not writable, nothing is cached.
  module.enableCompileCache(fileURLToPath(new URL("../node_modules/.cache/ledgerhook", import.meta.url)))
  await import("../src/main.ts")
} else if (existsSync(pinned)) {
  const child = spawn(pinned, [...process.execArgv, itself, ...process.argv.slice(2)], { stdio: "inherit" })
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal))
  child.on("exit", (code, signal) => process.exit(signal === null ? (code ?? 1) : 1))
} else {
  process.stderr.write(`ledgerhook needs Node 24 or later (this is ${process.version}). Run: npm ci\n`)
  process.exit(1)
}
