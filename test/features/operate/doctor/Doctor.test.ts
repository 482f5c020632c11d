/**
 * `doctor` finds faults of settings, store, ledger servers and port, says how to fix them, and changes nothing.
 */
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { table } from "../../../../src/features/operate/doctor/Doctor.ts"
import type { Finding } from "../../../../src/features/operate/doctor/Finding.ts"
import type { Environment } from "../../../../src/spine/config/Config.ts"
import { chain } from "../../../support/ledger/chain.ts"
import { rippledServer } from "../../../support/ledger/rippledServer.ts"
import { makeMailServer } from "../../../support/servers/mailServer.ts"
import { makeOtlpReceiver } from "../../../support/servers/otlpReceiver.ts"
import { examineHere } from "./examining.ts"

const temporaryFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "ledgerhook-doctor-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

/** A program that listens on a port and answers every request with `text`. */
const httpServer = (text: string) =>
  Effect.acquireRelease(
    Effect.callback<Server>((resume) => {
      const server = createServer((_, response) => response.end(text))
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
    }),
    (server) =>
      Effect.sync(() => {
        server.close()
        server.closeAllConnections()
      })
    // A server that listens on TCP has an address with a port.
  ).pipe(Effect.map((server) => (server.address() as AddressInfo).port))

const examined = Effect.fnUntraced(function* (environment: Environment) {
  const folder = yield* temporaryFolder
  return yield* examineHere({
    DATA_DIR: join(folder, "data"),
    PORT: "0",
    XRPL_MAINNET_URLS: "",
    ...environment
  })
})

const one = (findings: ReadonlyArray<Finding>, check: string): Finding => {
  const found = findings.find((finding) => finding.check.startsWith(check))
  if (found === undefined) throw new Error(`no ${check} among ${findings.map((finding) => finding.check)}`)
  return found
}

const isProblem = (finding: Finding, detail: RegExp, fix: RegExp) => {
  assert.strictEqual(finding.status, "problem")
  assert.match(finding.detail, detail)
  assert.match(finding.fix, fix)
}

describe("doctor", () => {
  it.live("accepts the defaults and a folder that can be created, and creates nothing", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const dataDir = join(folder, "deep", "data")
      const findings = yield* examineHere({ DATA_DIR: dataDir, PORT: "0", XRPL_MAINNET_URLS: "" })
      assert.deepStrictEqual(
        findings.map(({ check, status }) => `${check} ${status}`),
        ["settings ok", "store ok", "API port ok"]
      )
      assert.isFalse(existsSync(dataDir))
      assert.deepStrictEqual(readdirSync(folder), [])
    })
  )

  it.live("reports every wrong setting and how to correct it", () =>
    Effect.gen(function* () {
      const findings = yield* examined({ PORT: "70000", LOG_LEVEL: "loud" })
      assert.strictEqual(findings.length, 2)
      isProblem(findings[0]!, /^PORT: "70000"/, /unset PORT/)
      isProblem(findings[1]!, /^LOG_LEVEL: /, /unset LOG_LEVEL/)
    })
  )

  it.live("reports variables that are nearly settings, whether the settings are valid or not", () =>
    Effect.gen(function* () {
      const dataDir = join(yield* temporaryFolder, "data")
      for (const PORT of ["0", "70000"]) {
        const findings = yield* examineHere({
          DATA_DIR: dataDir,
          PORT,
          DELIVERY_TIMEOTU: "5s",
          KAFKA_HOME: "/k"
        })
        const [unknown, ...others] = findings.filter(({ detail }) => detail.includes("is not a setting"))
        isProblem(
          unknown!,
          /^DELIVERY_TIMEOTU is not a setting; did you mean DELIVERY_TIMEOUT\?$/,
          /unset DELIVERY_TIMEOTU/
        )
        assert.deepStrictEqual(others, [])
      }
    })
  )

  it.live.each(["HTTPS_PROXY", "http_proxy", "ALL_PROXY", "NODE_USE_ENV_PROXY"])(
    "says that a forward proxy is not used: %s",
    (name) =>
      Effect.gen(function* () {
        for (const port of ["0", "x"]) {
          const findings = yield* examined({
            [name]: "http://user:secret@proxy:3128",
            NO_PROXY: "a",
            PORT: port
          })
          const { detail, fix, status } = one(findings, "forward proxy")
          assert.strictEqual(status, "warning")
          assert.match(detail, new RegExp(`^${name}: set, but deliveries, .* do not use it$`))
          assert.match(fix, /directly/)
        }
        const without = yield* examined({ [name]: "", NO_PROXY: "a" })
        assert.notInclude(
          without.map(({ check }) => check),
          "forward proxy"
        )
      })
  )

  it.live("says what uses a proxy all the same, with Node's own switch", () =>
    Effect.gen(function* () {
      const { detail, fix } = one(
        yield* examined({ HTTPS_PROXY: "http://proxy:3128", NODE_USE_ENV_PROXY: "1" }),
        "forward proxy"
      )
      assert.match(
        detail,
        /; because of NODE_USE_ENV_PROXY=1, requests to the schema registry, .* and metrics do$/
      )
      assert.match(fix, /unset NODE_USE_ENV_PROXY, or name .* in NO_PROXY\.$/)
    })
  )

  it.live("reports empty settings, which count as unset", () =>
    Effect.gen(function* () {
      const settings = (environment: Environment) =>
        Effect.map(examined(environment), (findings) => one(findings, "settings").detail)
      const number = /^\d+/.exec(yield* settings({}))![0]
      assert.match(
        yield* settings({ KAFKA_CLIENT_ID: "", SMTP_URL: " ", XRPL_TESTNET_URLS: "" }),
        new RegExp(`^${Number(number) + 1} set, .*; empty, and so unset: KAFKA_CLIENT_ID, SMTP_URL$`)
      )
    })
  )

  it.live("writes to the folder to check it", () =>
    Effect.gen(function* () {
      const findings = yield* examined({ DATA_DIR: "/dev/null/data" })
      isProblem(one(findings, "store"), /cannot be written/, /set DATA_DIR/)
    })
  )

  it.live("reports an unavailable database without its password", () =>
    Effect.gen(function* () {
      const findings = yield* examined({ DATABASE_URL: "postgres://user:hunter2@127.0.0.1:1/db" })
      isProblem(one(findings, "store"), /127\.0\.0\.1:1\/db/, /correct DATABASE_URL/)
      assert.notInclude(JSON.stringify(findings), "hunter2")
    })
  )

  it.live("checks that the receiver accepts traces and metrics, and reports what is missing", () =>
    Effect.gen(function* () {
      const receiver = yield* makeOtlpReceiver()
      const { host } = new URL(receiver.url)
      const look = (url: string) =>
        Effect.map(examined({ OTEL_EXPORTER_OTLP_ENDPOINT: url }), (findings) => one(findings, "telemetry"))
      assert.deepInclude(yield* look(receiver.url), {
        status: "ok",
        detail: `${host} accepts traces and metrics`
      })
      assert.deepStrictEqual(
        receiver.requests.map(({ path }) => path),
        ["/v1/traces", "/v1/metrics"]
      )
      isProblem(
        yield* look("http://u:hunter2@127.0.0.1:1"),
        /^127\.0\.0\.1:1 cannot be reached$/,
        /Start the server/
      )
      const refusing = (status: number) =>
        Effect.flatMap(
          makeOtlpReceiver(({ path }) => (path === "/v1/metrics" ? status : 200)),
          ({ url }) => look(url)
        )
      isProblem(yield* refusing(401), /refuses the credentials \(HTTP 401\)/, /OTEL_EXPORTER_OTLP_HEADERS/)
      isProblem(yield* refusing(404), /answers \/v1\/metrics with HTTP 404/, /the URL without/)
    })
  )

  it.live("reports a working ledger server and its newest ledger", () =>
    Effect.gen(function* () {
      const server = yield* rippledServer({ networkId: 1 })
      server.serve(chain(5, 7))
      server.close(7)
      const findings = yield* examined({ XRPL_TESTNET_URLS: server.url })
      const finding = one(findings, "testnet 127.0.0.1")
      assert.deepStrictEqual([finding.status, finding.detail], ["ok", "reachable, at ledger 7"])
    })
  )

  it.live("reports which ledgers a history server claims to have", () =>
    Effect.gen(function* () {
      const server = yield* rippledServer({ networkId: 1, ledgers: "32570-90000,90100" })
      const findings = yield* examined({
        XRPL_TESTNET_URLS: server.url,
        XRPL_TESTNET_HISTORY_URLS: `${server.url}/full`
      })
      const finding = one(findings, "testnet history 127.0.0.1")
      assert.deepStrictEqual(
        [finding.status, finding.detail],
        ["ok", "reachable, with ledgers 32570-90000,90100"]
      )
    })
  )

  it.live("reports a ledger server of another network, and one that cannot be reached", () =>
    Effect.gen(function* () {
      const server = yield* rippledServer({ networkId: 1 })
      const findings = yield* examined({
        XRPL_MAINNET_URLS: server.url,
        XRPL_DEVNET_URLS: "ws://127.0.0.1:1/secret-path"
      })
      isProblem(one(findings, "mainnet"), /network/, /setting of its own network/)
      isProblem(one(findings, "devnet"), /^connection refused$/, /firewall.*XRPL_DEVNET_URLS/)
      assert.notInclude(JSON.stringify(findings), "secret-path")
    })
  )

  it.live("says of a ledger server without TLS how to correct the URL, and does not blame the firewall", () =>
    Effect.gen(function* () {
      const port = yield* httpServer("")
      const finding = one(yield* examined({ XRPL_DEVNET_URLS: `wss://127.0.0.1:${port}` }), "devnet")
      isProblem(
        finding,
        /^TLS: this port does not speak TLS; use ws:/,
        /^Correct the URL or set XRPL_DEVNET_URLS/
      )
    })
  )

  it.live("reports a working mail server, and an unavailable one, without its password", () =>
    Effect.gen(function* () {
      const server = yield* makeMailServer()
      const found = one(yield* examined({ SMTP_URL: server.url, MAIL_FROM: "a@b.example" }), "mail")
      assert.deepStrictEqual(
        [found.status, found.detail],
        ["ok", "reachable, and accepts mails from a@b.example; no mail was sent"]
      )
      assert.deepStrictEqual([server.senders, server.taken], [["a@b.example"], []])
      const findings = yield* examined({ SMTP_URL: "smtp://user:hunter2@127.0.0.1:1" })
      isProblem(one(findings, "mail 127.0.0.1:1"), /ECONNREFUSED/, /correct SMTP_URL/)
      assert.notInclude(JSON.stringify(findings), "hunter2")
    })
  )

  it.live("reports a sender that the mail server refuses", () =>
    Effect.gen(function* () {
      const server = yield* makeMailServer({ refuseSender: () => 553 })
      const mailFrom = "Hooks <hooks@bücher.example>"
      isProblem(
        one(yield* examined({ SMTP_URL: server.url, MAIL_FROM: mailFrom }), "mail"),
        /^MAIL_FROM: the server refuses Hooks <hooks@bücher\.example>: 553 not your address$/,
        /^Set MAIL_FROM /
      )
      assert.deepStrictEqual(server.senders, ["hooks@bücher.example"])
    })
  )

  it.live("distinguishes a port in use by another program from one of a running service", () =>
    Effect.gen(function* () {
      const foreign = yield* httpServer("hello")
      isProblem(one(yield* examined({ PORT: String(foreign) }), "API port"), /another program/, /set PORT/)
      const own = yield* httpServer('{"status":"ok"}')
      assert.strictEqual(one(yield* examined({ PORT: String(own) }), "API port").status, "ok")
      const open = yield* httpServer('{"error":{"code":"NOT_FOUND","message":"x"}}')
      const apart = yield* examined({ PORT: String(open), OPS_PORT: String(own) })
      assert.deepStrictEqual([one(apart, "API port").status, one(apart, "health port").status], ["ok", "ok"])
      const exchanged = yield* examined({ PORT: String(own), OPS_PORT: String(open) })
      isProblem(one(exchanged, "API port"), /another program/, /set PORT/)
      isProblem(one(exchanged, "health port"), /another program/, /set OPS_PORT/)
    })
  )
})

describe("doctor's table", () => {
  it("has one row for each check, and the fix below a problem", () => {
    const rows = table(
      [
        { check: "settings", status: "ok", detail: "fine", fix: "" },
        { check: "API port", status: "problem", detail: "in use", fix: "Set PORT." }
      ],
      false
    )
    assert.deepStrictEqual(rows.split("\n"), [
      "ok       settings  fine",
      "problem  API port  in use",
      "                   → Set PORT."
    ])
  })
})
