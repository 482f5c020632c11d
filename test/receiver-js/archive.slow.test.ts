/**
 * The receiver package as its users get it: built, packed, installed into an empty project, used with `import` and `require`
 * under each Node of this machine, and with TypeScript.
 */
import { execFileSync, spawnSync } from "node:child_process"
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, join, resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { gzipSync, zstdCompressSync } from "node:zlib"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { codeBlocks } from "../support/tree/markdown.ts"
import { eventBody, SECRET, signed } from "./support.ts"

const PACKAGE = "packages/receiver-js"
const { name, version } = JSON.parse(readFileSync(`${PACKAGE}/package.json`, "utf8"))

const versionOf = (node: string): string => execFileSync(node, ["--version"], { encoding: "utf8" }).trim()

/** The pinned Node, and those on the PATH: CI has Node 20 there. */
const nodes = new Map(
  [process.execPath, ...(process.env["PATH"] ?? "").split(delimiter).map((folder) => join(folder, "node"))]
    .filter((file) => existsSync(file))
    .map((file) => [versionOf(file), realpathSync(file)])
)

const { body, headers } = signed(eventBody())
const compressed = [
  ["gzip", gzipSync(body).toString("hex")],
  ["zstd", zstdCompressSync(body).toString("hex")]
]
/** What a program does with the package; it prints what it found. */
const using = `
const request = { headers: ${JSON.stringify(headers)}, body: Buffer.from(${JSON.stringify(body.toString())}) }
const secrets = [${JSON.stringify(SECRET)}]
const handler = nodeHandler(createReceiver({ secrets, onEvent: () => {} }))
console.log(verify(request, { secrets }), parse(request.body).event_type, typeof handler)
for (const one of ["express", "fastify", "hono", "next"]) load("${name}/" + one)
const statuses = ${JSON.stringify(compressed)}.map(async ([encoding, hex]) => {
  const headers = { ...request.headers, "Content-Encoding": encoding }
  const receiver = createReceiver({ secrets, onEvent: () => {} })
  return encoding + " " + (await receiver.receive({ headers, body: Buffer.from(hex, "hex") })).status
})
Promise.all(statuses).then((all) => console.log(all.join(", ")))
`
const programs = {
  "import.mjs": `
import { createReceiver, parse, verify } from "${name}"
import { nodeHandler } from "${name}/node"
const load = (one) => import(one)
${using}`,
  "require.cjs": `
const { createReceiver, parse, verify } = require("${name}")
const { nodeHandler } = require("${name}/node")
const load = require
${using}`
}

describe("the archive of ledgerhook-receiver", () => {
  const archive = resolve(PACKAGE, "dist", `${name}-${version}.tgz`)
  let project: string

  const run = (command: string, args: ReadonlyArray<string>, cwd: string, variables = {}) => {
    const env = { ...process.env, ...variables }
    const { status, stderr, stdout } = spawnSync(command, args, { cwd, env, encoding: "utf8" })
    assert.strictEqual(status, 0, `${command} ${args.join(" ")}\n${stdout}${stderr}`)
    return stdout.trim()
  }

  beforeAll(() => {
    project = mkdtempSync(join(tmpdir(), "ledgerhook-receiver-"))
    writeFileSync(join(project, "package.json"), '{ "name": "empty", "private": true, "type": "module" }')
    run("npm", ["run", "packages"], ".")
    run("npm", ["install", "--offline", "--no-audit", "--no-fund", archive], project)
  }, 120_000)
  afterAll(() => rmSync(project, { recursive: true, force: true }))

  it("has the project's version and installs nothing else", () => {
    assert.strictEqual(version, JSON.parse(readFileSync("package.json", "utf8")).version)
    const installed = readdirSync(join(project, "node_modules")).filter((one) => !one.startsWith("."))
    assert.deepStrictEqual(installed, [name])
    const files = readdirSync(join(project, "node_modules", name))
    assert.sameMembers(files, ["LICENSE", "README.md", "dist", "package.json"])
  })

  for (const [node, file] of nodes)
    it.each(Object.entries(programs))(`works under Node ${node}: %s`, (program, text) => {
      writeFileSync(join(project, program), text)
      const zstd = run(file, ["-p", "require('zlib').zstdDecompressSync ? 200 : 415"], project)
      const printed = run(file, [program], project)
      assert.strictEqual(printed, `true payment.xrp function\ngzip 200, zstd ${zstd}`)
    })

  it("does what docs/receiving.md shows", () => {
    const example = codeBlocks("docs/receiving.md", "js").find((block) => block.includes(name))
    const program = example!
      // Express is no part of the archive: the repository's is used, and a free port.
      .replace('"express"', JSON.stringify(pathToFileURL(resolve("node_modules/express/index.js")).href))
      .replace(
        ".listen(4000)",
        ".listen(0, function () { request(this.address().port).then(() => this.close()) })"
      )
    const request = `
const request = (port) => fetch("http://127.0.0.1:" + port + "/hooks/xrpl", {
  method: "POST", headers: ${JSON.stringify(headers)}, body: ${JSON.stringify(body.toString())}
}).then(({ status }) => console.log(status))
`
    writeFileSync(join(project, "example.mjs"), program + request)
    const printed = run(process.execPath, ["example.mjs"], project, { LEDGERHOOK_SECRET: SECRET })
    assert.match(printed, /^payment\.xrp \{[\s\S]*\}\n200$/)
  })

  it("does in a route of Next.js what its README shows", () => {
    const example = codeBlocks(`${PACKAGE}/README.md`, "ts").find((block) => block.includes("nextHandler"))
    const request = `
const init = { method: "POST", headers: ${JSON.stringify(headers)}, body: ${JSON.stringify(body.toString())} }
POST(new Request("http://receiver.example/hooks", init)).then(({ status }) => console.log(status))
`
    writeFileSync(join(project, "route.mjs"), `${example}\n${request}`)
    const printed = run(process.execPath, ["route.mjs"], project, { LEDGERHOOK_SECRET: SECRET })
    assert.match(printed, /^payment\.xrp \{[\s\S]*\}\n200$/)
  })

  it("is typed: the examples of its README compile in strict projects of both kinds", () => {
    const [whole, ...parts] = codeBlocks(`${PACKAGE}/README.md`, "ts")
    assert.isNotEmpty(parts)
    const wrong = `import type { LedgerhookEvent } from "${name}"
export const field = (event: LedgerhookEvent) => (event.event_type === "payment.xrp" ? event.payload.nothing : 0)
`
    const files = { "whole.ts": whole!, "parts.ts": parts.join("\n"), "parts.cts": parts.join("\n") }
    for (const [file, text] of Object.entries(files)) writeFileSync(join(project, file), text)
    writeFileSync(join(project, "wrong.ts"), wrong)
    const compile = (...sources: ReadonlyArray<string>) => {
      const types = ["--types", "node", "--typeRoots", resolve("node_modules/@types")]
      const options = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2022", ...types]
      return spawnSync(resolve("node_modules/.bin/tsc"), ["--ignoreConfig", ...options, ...sources], {
        cwd: project,
        encoding: "utf8"
      })
    }
    const right = compile(...Object.keys(files))
    assert.strictEqual(right.status, 0, right.stdout)
    assert.include(compile("wrong.ts").stdout, "Property 'nothing' does not exist on type 'PaymentXrp'")
  })
})
