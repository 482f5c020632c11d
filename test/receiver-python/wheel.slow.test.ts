/**
 * The Python receiver package as its users get it: a wheel, built with one command, installed into an empty environment, used
 * by Flask, FastAPI and Django as its README shows, and checked by mypy.
 */
import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, join, resolve } from "node:path"
import { zstdCompressSync } from "node:zlib"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { cloudEventHeaders } from "../../src/spine/event/RequestFormat.ts"
import { eventBody, exampleEvent, exampleRecord, SECRET, signed } from "../receiver-js/support.ts"
import { codeBlocks } from "../support/tree/markdown.ts"
import { pythonRuns } from "./support.ts"

const PACKAGE = "packages/receiver-python"
const { version } = JSON.parse(readFileSync("package.json", "utf8"))

const folder = mkdtempSync(join(tmpdir(), "ledgerhook-wheel-"))
const bin = join(folder, "venv", "bin")

const run = (command: string, args: ReadonlyArray<string>, cwd = ".") =>
  spawnSync(command, args, {
    cwd,
    encoding: "utf8",
    env: {
      ...process.env,
      LEDGERHOOK_SECRET: SECRET,
      PATH: `${bin}${delimiter}${process.env["PATH"]}`,
      PIP_DISABLE_PIP_VERSION_CHECK: "1"
    }
  })

const succeeds = (command: string, args: ReadonlyArray<string>, cwd?: string): string => {
  const { status, stderr, stdout } = run(command, args, cwd)
  assert.strictEqual(status, 0, `${command} ${args.join(" ")}\n${stdout}${stderr}`)
  return stdout.trim()
}

/** What this machine lacks. PyPI has what builds the wheel, and the frameworks. */
const missing = !pythonRuns("import ensurepip, venv")
  ? "Python 3.9 with venv"
  : run("python3", ["-m", "venv", join(folder, "venv")]).status !== 0 ||
      run("python", ["-m", "pip", "download", "-q", "--no-deps", "-d", folder, "flit_core==3.12.0"])
        .status !== 0
    ? "PyPI"
    : undefined

const [flask, fastapi, django] = codeBlocks(`${PACKAGE}/README.md`, "python")

const good = signed(eventBody())
const payload = signed(JSON.stringify(exampleEvent.payload))
const cloudEvent = {
  headers: {
    ...payload.headers,
    ...cloudEventHeaders(exampleRecord, exampleRecord.webhook_id),
    "Content-Encoding": "zstd"
  },
  hex: zstdCompressSync(payload.body).toString("hex")
}
/** Each driver gets a list of (headers, body) and prints the statuses. */
const requests = `
good = ${JSON.stringify(good.headers)}
body = ${JSON.stringify(good.body.toString())}.encode()
cloud_event = (${JSON.stringify(cloudEvent.headers)}, bytes.fromhex("${cloudEvent.hex}"))
unsigned = ({"Content-Type": "application/json"}, body)
requests = [(good, body), (good, body), (good, body + b" "), unsigned, cloud_event]
`
const drivers: ReadonlyArray<readonly [framework: string, example: string, driver: string]> = [
  [
    "Flask",
    flask!,
    `client = app.test_client()
print("\\n", [client.post("/hooks", data=body, headers=headers).status_code for headers, body in requests])`
  ],
  [
    "FastAPI",
    fastapi!,
    `from fastapi.testclient import TestClient
client = TestClient(app)
print("\\n", [client.post("/hooks", content=body, headers=headers).status_code for headers, body in requests])`
  ],
  [
    "Django",
    django!,
    `import django
from django.conf import settings
from django.test import Client
settings.configure(ROOT_URLCONF=__name__, ALLOWED_HOSTS=["*"])
django.setup()
client = Client(enforce_csrf_checks=True)
print("\\n", [
    client.post("/hooks", body, content_type="application/json", headers=headers).status_code
    for headers, body in requests
])`
  ]
]

const typed = `from ledgerhook_receiver import LedgerhookEvent, Receiver, gaps, parse, sort_by_sequence


def amount_of(event: LedgerhookEvent) -> str:
    if event["event_type"] == "payment.xrp":
        return event["payload"]["amount"]
    if event["event_type"] == "unknown":
        return event["sent_type"]
    return event["payload"]["tx_hash"]


amount_of(parse(b""))
events = sort_by_sequence([parse(b"")])
arrived = [event["sequence"] for event in events if "sequence" in event]
print(amount_of(events[0]), gaps(arrived, from_ledger=1, to_ledger=2, event_counts={1: 1})[0].from_position)
Receiver(secrets=["s"], on_event=lambda event, delivery_id: None)
`

const title = `the wheel of ledgerhook-receiver${missing === undefined ? "" : ` (no ${missing} here)`}`
describe.skipIf(missing !== undefined)(title, () => {
  beforeAll(() => {
    succeeds("npm", ["run", "packages:python"])
    const wheel = resolve(PACKAGE, "dist", `ledgerhook_receiver-${version}-py3-none-any.whl`)
    succeeds("python", ["-m", "pip", "install", "-q", "--no-index", wheel])
    succeeds("python", ["-m", "pip", "install", "-q", "-r", `${PACKAGE}/tests/requirements.txt`])
  }, 300_000)
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it("has the project's version and no dependency", () => {
    const shown = succeeds("python", ["-m", "pip", "show", "ledgerhook-receiver"])
    assert.match(shown, new RegExp(`^Version: ${version}$`, "m"))
    assert.match(shown, /^Requires:\s*$/m)
  })

  it("passes the package's tests", () => {
    const { status, stderr } = run("python", ["-m", "unittest", "discover", `${PACKAGE}/tests`])
    assert.strictEqual(status, 0, stderr)
  })

  it.each(drivers)("works in %s as the README shows", (framework, example, driver) => {
    const file = `${framework.toLowerCase()}_example.py`
    writeFileSync(join(folder, file), `${example}\n${requests}\n${driver}\n`)
    const printed = succeeds("python", [file], folder)
    assert.strictEqual(printed.split("\n").at(-1)?.trim(), "[200, 200, 401, 401, 200]")
  })

  it("is typed: mypy knows the fields of each event", () => {
    writeFileSync(join(folder, "typed_use.py"), typed)
    writeFileSync(join(folder, "wrong.py"), typed.replace('["payload"]["amount"]', '["payload"]["nothing"]'))
    succeeds("python", ["-m", "mypy", "--strict", "-p", "ledgerhook_receiver"], folder)
    succeeds("python", ["-m", "mypy", "--strict", "typed_use.py"], folder)
    const { status, stdout } = run("python", ["-m", "mypy", "--strict", "wrong.py"], folder)
    assert.strictEqual(status, 1)
    assert.include(stdout, 'TypedDict "PaymentXrp" has no key "nothing"')
  })
})
