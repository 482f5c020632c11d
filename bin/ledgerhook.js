#!/usr/bin/env node
// The `ledgerhook` command. A clone runs TypeScript directly, an installed package runs what tools/compile.ts made of it.
// Both need Node 24; an older Node starts the pinned one.
import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import module, { createRequire } from "node:module"
import { fileURLToPath } from "node:url"
import { NODE_MAJOR, nodePackage, problemOf } from "./machine.js"

// Other users of the machine see the arguments of a process, which may hold a password or a secret.
if (process.argv.length > 3) process.title = `ledgerhook ${process.argv[2]}`

const itself = fileURLToPath(import.meta.url)

/** The Node of the npm package for this platform; undefined if there is none. */
const pinnedNode = () => {
  try {
    return createRequire(itself).resolve(`${nodePackage(process)}/bin/node`)
  } catch {
    return undefined
  }
}

const pinned = Number.parseInt(process.versions.node, 10) >= NODE_MAJOR ? undefined : pinnedNode()
const problem = problemOf(process, pinned !== undefined)
if (problem !== undefined) {
  process.stderr.write(`ledgerhook: ${problem}\n`)
  process.exitCode = 1
} else if (pinned === undefined) {
  // Caches compiled code, which halves the start of a command. The cache is not in the folder for temporary files, where
  // other users could place code. If the folder is not writable, nothing is cached.
  module.enableCompileCache(fileURLToPath(new URL("../node_modules/.cache/ledgerhook", import.meta.url)))
  const source = new URL("../src/main.ts", import.meta.url)
  await import(existsSync(source) ? source : new URL("../dist/main.js", import.meta.url))
} else {
  const child = spawn(pinned, [...process.execArgv, itself, ...process.argv.slice(2)], { stdio: "inherit" })
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal))
  child.on("exit", (code, signal) => process.exit(signal === null ? (code ?? 1) : 1))
}
