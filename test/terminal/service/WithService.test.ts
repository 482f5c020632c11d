/** The commands that use a service elsewhere: on a terminal, piped, with a key that may do little, and without a service. */
import { createServer, type RequestListener } from "node:http"
import { createServer as createTlsServer } from "node:https"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { eventLine } from "../../../src/features/events/follow/EventLine.ts"
import { eventTypes } from "../../../src/spine/event/EventType.ts"
import { refusalOf } from "../../../src/terminal/service/Requests.ts"
import { appendLedgers, ledgersOf } from "../../features/events/eventStream.ts"
import { eventually, startDelivering } from "../../support/deliver/delivering.ts"
import { makeReceiver } from "../../support/deliver/receiver.ts"
import { ApiUnderTest } from "../../support/http/api.ts"
import { serviceLayer } from "../../support/http/service.ts"
import { runCommand } from "../../support/program/command.ts"
import { startProgram } from "../../support/program/program.ts"
import { certificates } from "../../support/servers/certificates.ts"

type Environment = Readonly<Record<string, string>>

const environmentOf = (url: string, key: string): Environment => ({
  LEDGERHOOK_URL: url,
  LEDGERHOOK_API_KEY: key,
  NO_COLOR: "1"
})

/** Runs commands as a customer who has the key. */
const commandsOf = (environment: Environment) => {
  const run = (args: string, options: { readonly terminal?: boolean; readonly input?: string } = {}) =>
    Effect.tap(runCommand(args.split(" "), { environment, ...options }), ({ stderr, stdout }) =>
      Effect.sync(() => assert.notInclude(stdout + stderr, environment["LEDGERHOOK_API_KEY"]!))
    )
  const fine = Effect.fnUntraced(function* (args: string, terminal: boolean, input?: string) {
    const { code, stderr, stdout } = yield* run(args, { terminal, ...(input === undefined ? {} : { input }) })
    assert.deepStrictEqual([code, stderr], [0, ""], args)
    return stdout
  })
  return {
    run,
    json: (args: string, input?: string) => Effect.map(fine(args, false, input), (text) => JSON.parse(text)),
    shown: (args: string) => fine(args, true),
    /** The exit code and the first line of the message. */
    refused: (args: string) =>
      Effect.map(run(args), ({ code, stderr }) => [code, stderr.split("\n")[0]] as const)
  }
}

const customer = Effect.gen(function* () {
  const api = yield* ApiUnderTest
  const { accountId, key } = yield* api.account("test")
  return { api, accountId, ...commandsOf(environmentOf(api.url, key)) }
})

layer(serviceLayer(), { excludeTestServices: true })("commands at a service", (it) => {
  it.effect("register, show, pause, resume and delete a webhook", () =>
    Effect.gen(function* () {
      const { json, refused, shown } = yield* customer
      assert.match(yield* shown("webhook list"), /^There is no webhook\./)
      assert.deepStrictEqual(yield* refused("progress"), [
        1,
        "ledgerhook: there is no webhook; `ledgerhook webhook create` registers one."
      ])
      const shop = yield* json(
        "webhook create --url http://127.0.0.1:1/shop --type payment.*,nft.minted --type dex.* --description Shop --network devnet --account rrrrrrrrrrrrrrrrrrrrBZbvji --body -",
        '{ "max_in_flight": 3, "description": "not this", "batch": { "max_events": 10, "max_wait_ms": 0 } }'
      )
      assert.deepInclude(shop, {
        url: "http://127.0.0.1:1/shop",
        event_types: ["payment.*", "nft.minted", "dex.*"],
        account_filters: ["rrrrrrrrrrrrrrrrrrrrBZbvji"],
        description: "Shop",
        network: "devnet",
        max_in_flight: 3
      })
      assert.match(shop.secret, /^whsec_/)
      const created = yield* shown("webhook create --url http://127.0.0.1:1/other --type *")
      assert.match(created, /\nsecret +whsec_\S+\n\nStore the secret now: it is not shown again\./)
      const { secret: _, ...record } = shop
      assert.deepStrictEqual(yield* json("webhook show Shop"), record)
      assert.match(
        yield* shown(`webhook show ${shop.id}`),
        /\nevent types +payment\.\*,nft\.minted,dex\.\*\n/
      )
      assert.strictEqual((yield* json("webhook list")).length, 2)
      assert.deepStrictEqual(
        (yield* json("webhook list --search SHOP")).map((one: { readonly id: string }) => one.id),
        [shop.id]
      )
      const [head, ...rows] = (yield* shown("webhook list")).trim().split("\n")
      assert.match(head!, /^ID +NETWORK +HEALTH /)
      assert.match(rows[1]!, /^wh_\w+ +devnet +new .* http:\/\/127\.0\.0\.1:1\/shop +Shop +payment/)
      assert.isTrue((yield* json("webhook pause Shop")).paused)
      assert.match(yield* shown("webhook show Shop"), /\nstatus +active, paused\n/)
      assert.isFalse((yield* json(`webhook resume ${shop.id}`)).paused)
      const [code, several] = yield* refused("webhook pause 127.0.0.1")
      assert.strictEqual(code, 2)
      assert.match(several!, /: several webhooks have this text: wh_\w+ \(http\S+\), wh_\w+ \(http\S+\)\.$/)
      assert.match((yield* refused("webhook pause nothing"))[1]!, /no webhook has this text/)
      const deleted = yield* json(`webhook delete ${shop.id}`)
      assert.deepStrictEqual(deleted, { id: shop.id, deleted: true })
      assert.match((yield* refused(`webhook show ${shop.id}`))[1]!, /There is no webhook .* \(NOT_FOUND\)/)
      assert.strictEqual((yield* json("progress")).network, "testnet")
      assert.match(yield* shown("progress"), /^webhook +wh_\w+ \(testnet\)\ncomplete through /)
    })
  )

  it.effect("send test events and show the attempt; list and retry deliveries", () =>
    Effect.gen(function* () {
      yield* startDelivering
      const { json, refused, shown } = yield* customer
      const receiver = yield* makeReceiver((_, response) => {
        response
          .writeHead(response.req.headers["x-service-event-type"] === "nft.minted" ? 503 : 200)
          .end("hello")
        return "handled"
      })
      const { id } = yield* json(`webhook create --url ${receiver.url} --type *`)
      const triggered = yield* json("trigger payment.xrp")
      assert.deepInclude(triggered.attempt, { status: "delivered", response_status: 200 })
      const failing = yield* shown("trigger nft.minted")
      assert.match(failing, /\nattempt +failed\nanswer +HTTP 503\n/)
      assert.match(yield* shown(`webhook test ${id}`), /\nanswer +HTTP 200\ntime +\d+ ms\nbody +hello\n/)
      const all: ReadonlyArray<{ readonly id: string; readonly event_type: string }> =
        yield* json("deliveries list")
      assert.lengthOf(all, 3)
      assert.lengthOf(yield* json("deliveries list --limit 2"), 2)
      assert.lengthOf(yield* json(`deliveries list --webhook ${id} --until 2026-01-01T00:00:00Z`), 0)
      assert.lengthOf(yield* json("deliveries list --status delivered --status failed"), 2)
      const table = yield* shown("deliveries list --status delivered")
      assert.match(table, /^ID +STATUS +EVENT TYPE +WEBHOOK +ATTEMPTS +CREATED +LAST ERROR\n/)
      assert.strictEqual(table.trim().split("\n").length, 3)
      const retrying = all.find(({ event_type }) => event_type === "nft.minted")!
      assert.deepStrictEqual(yield* json(`deliveries retry ${retrying.id}`), [
        { delivery_id: retrying.id, status: "retrying" }
      ])
      assert.match(
        (yield* refused(`deliveries retry ${triggered.delivery_id}`))[1]!,
        /: Delivery dlv_\w+ is delivered; .* \(DELIVERY_NOT_FAILED\)$/
      )
    }).pipe(Effect.scoped)
  )

  it.effect("explain a transaction on the network of the key that has it, with the names of webhooks", () =>
    Effect.gen(function* () {
      const { api, accountId, json, refused, shown } = yield* customer
      for (const [name, count] of [
        ["Till", 1],
        ["Shop", 2]
      ] as const)
        yield* json(
          `webhook create --url http://127.0.0.1:1/${count} --type * --network devnet --description ${name}`
        )
      const events = ledgersOf({ network: "devnet", first: 10 })
      yield* appendLedgers(events)
      const hash = events[0]!.event_id.split(":")[2]!
      const explained = yield* json(`explain ${hash} --ledger 10`)
      assert.deepInclude(explained, { transaction: hash, webhooks_count: 2 })
      const table = yield* shown(`explain ${hash} --ledger 10`)
      assert.match(table, /^devnet: ledger 10, taken at .*\n\nEVENT +WEBHOOK +NAME +WANTED /)
      assert.match(table, / wh_\w+ +Shop +yes .*\n.* wh_\w+ +Till +yes /)
      const key = yield* api.keyFor(accountId, "test", ["deliveries:read"])
      const reader = commandsOf(environmentOf(api.url, key))
      assert.match(yield* reader.shown(`explain ${hash} --ledger 10`), / wh_\w+ +- +yes +/)
      assert.match(yield* shown(`explain ${"F".repeat(64)}`), /^devnet: No ledger is known/)
      const only = yield* refused(`explain ${hash} --network mainnet`)
      assert.match(only[1]!, /: network must be testnet or devnet with a test key\. \(VALIDATION_ERROR\)$/)
    })
  )

  it.effect("follow events: a line each on a terminal, JSON when piped; Ctrl-C ends with 0", () =>
    Effect.gen(function* () {
      const api = yield* ApiUnderTest
      const { key } = yield* api.account("test")
      const program = yield* startProgram(["events", "tail", "--type", "nft.*"], {
        cwd: tmpdir(),
        environment: environmentOf(api.url, key)
      })
      yield* program.said(/^Following the events of http.*; Ctrl-C ends it\.$/)
      const events = ledgersOf({ network: "testnet", first: 20, perLedger: eventTypes.length })
      yield* appendLedgers(events)
      const wanted = events.filter(({ event_type }) => event_type.startsWith("nft."))
      yield* eventually(
        Effect.sync(() => {
          const lines = program.stdout().trim().split("\n")
          assert.deepStrictEqual(
            lines.map((line) => JSON.parse(line).event_id),
            wanted.map(({ event_id }) => event_id)
          )
        })
      )
      yield* program.signal("SIGINT")
      assert.strictEqual(yield* program.ended, 0)
    }).pipe(Effect.scoped)
  )

  it.effect("say which scope the key lacks, and what is wrong with it or with the request", () =>
    Effect.gen(function* () {
      const { api, accountId, refused } = yield* customer
      const key = yield* api.keyFor(accountId, "test", ["webhooks:read"])
      const reader = commandsOf(environmentOf(api.url, key))
      const create = "webhook create --url https://example.com/ --type payment.xrp"
      const id = `wh_${"0".repeat(26)}`
      for (const [args, scope] of [
        [create, "webhooks:write"],
        [`webhook pause ${id}`, "webhooks:write"],
        ["deliveries list", "deliveries:read"],
        ["events tail", "events:read"],
        [`explain ${"F".repeat(64)}`, "deliveries:read"]
      ] as const)
        assert.deepStrictEqual(yield* reader.refused(args), [
          1,
          `ledgerhook: ${api.url}: This key lacks the scope ${scope}. (FORBIDDEN)`
        ])
      assert.deepStrictEqual(yield* reader.json("webhook list"), [])
      const wrong = commandsOf(environmentOf(api.url, "svc_test_wrong"))
      assert.deepStrictEqual(yield* wrong.refused("webhook list"), [
        1,
        `ledgerhook: ${api.url}: A valid API key is required in the header X-Service-Key, or as Authorization: Bearer. (UNAUTHORIZED) Set LEDGERHOOK_API_KEY to a valid key of this service.`
      ])
      assert.match((yield* refused(`${create} --account r`))[1]!, /Expected: a classic XRPL address/)
      assert.match((yield* refused("webhook create --url ftp://a --type *"))[1]!, / \(VALIDATION_ERROR\)$/)
    })
  )
})

/** An address of a server that answers everything the same. */
const serverOf = (listener: RequestListener, tls?: { readonly key: string; readonly cert: string }) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly url: string; readonly close: () => void }>((resume) => {
      const server = tls === undefined ? createServer(listener) : createTlsServer(tls, listener)
      server.listen(0, "127.0.0.1", () => {
        // The server listens on TCP.
        const { port } = server.address() as AddressInfo
        const url = `http${tls === undefined ? "" : "s"}://127.0.0.1:${port}`
        resume(Effect.succeed({ url, close: () => void server.close() }))
      })
    }),
    ({ close }) => Effect.sync(close)
  )

describe("an error of a service", () => {
  it("shows all faults, and its text cannot control the terminal", () => {
    const [code, message] = ["VALIDATION_ERROR", "url is required."]
    assert.deepStrictEqual(refusalOf({ error: { code, message, errors: [{ param: "/url", message }] } }), {
      code,
      message
    })
    const errors = [{ message }, { message: "nft.mintd is wrong; did you mean nft.minted?\u001b" }]
    assert.strictEqual(
      refusalOf({ error: { code, message, errors } })?.message,
      "url is required. nft.mintd is wrong; did you mean nft.minted?\\u001b"
    )
    for (const other of [undefined, "text", { error: "text" }, { error: { code } }])
      assert.isUndefined(refusalOf(other))
  })
})

describe("a followed event", () => {
  it("is one line, and cannot control the terminal", () => {
    const [event] = ledgersOf({ network: "testnet", first: 10 })
    const { event_id, timestamp } = event!
    assert.strictEqual(
      eventLine(event!, false),
      `${timestamp}  testnet  payment.xrp               ${event_id}`
    )
    assert.include(eventLine(event!, true), `\u001b[2m${event_id}\u001b[0m`)
    assert.notInclude(eventLine({ ...event!, event_id: "\u001b[2J", timestamp: "\n" }, false), "\u001b")
  })
})

describe("without a service", () => {
  const listing = (url: string) => commandsOf(environmentOf(url, "svc_test_key")).refused("webhook list")

  it.live("each fault is one sentence that says what to do", () =>
    Effect.gen(function* () {
      const { close, url } = yield* serverOf((_, response) => response.end())
      close()
      const check = "Check LEDGERHOOK_URL, and whether the service runs."
      assert.deepStrictEqual(yield* listing(url), [
        1,
        `ledgerhook: ${url} cannot be reached: connection refused. ${check}`
      ])
      for (const [status, body] of [
        [404, "<html>"],
        [401, "<html>"],
        [301, ""],
        [502, "{}"]
      ] as const) {
        const other = yield* serverOf((_, response) => {
          response
            .writeHead(status, { location: "http://127.0.0.1:1/", "content-type": "text/html" })
            .end(body)
        })
        assert.deepStrictEqual(yield* listing(other.url), [
          1,
          `ledgerhook: ${other.url} answered HTTP ${status}, but not as a Ledgerhook API does; set LEDGERHOOK_URL to the address of one, as https://api.example.com.`
        ])
      }
      for (const [name, says] of [
        ["localhost", "TLS: self-signed certificate. If you trust it, name its file in NODE_EXTRA_CA_CERTS."],
        ["expired", "TLS: certificate has expired. Check LEDGERHOOK_URL, and the service's certificate."]
      ] as const) {
        const secure = yield* serverOf((_, response) => response.end(), certificates[name])
        assert.deepStrictEqual(yield* listing(secure.url), [
          1,
          `ledgerhook: ${secure.url} cannot be reached: ${says}`
        ])
      }
      const page = yield* serverOf((_, response) => {
        response.setHeader("content-type", "application/json")
        response.end('{"data": 1}')
      })
      assert.deepStrictEqual(yield* listing(page.url), [
        1,
        `ledgerhook: ${page.url} answered with something that this version cannot read; update it.`
      ])
    }).pipe(Effect.scoped)
  )

  it.live("settings that are missing or wrong are named, and flags for the local database are refused", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* listing("api.example.com"), [
        2,
        "ledgerhook: LEDGERHOOK_URL must be an http or https URL without a user name, as https://api.example.com."
      ])
      const local = commandsOf({ LEDGERHOOK_API_KEY: "ключ" })
      assert.match(
        (yield* local.refused("progress"))[1]!,
        /needs an API key of the service in LEDGERHOOK_API_KEY/
      )
      const elsewhere = commandsOf(environmentOf("http://127.0.0.1:1", "svc_test_key"))
      for (const args of ["webhook list", `explain ${"F".repeat(64)}`])
        assert.match(
          (yield* elsewhere.refused(`${args} --account acct_${"0".repeat(26)}`))[1]!,
          /--account is for the local database, and LEDGERHOOK_URL is set/
        )
      const [code, without] = yield* elsewhere.refused("webhook create --url http://a")
      assert.strictEqual(code, 2)
      assert.match(without!, /give --url and --type, or a --body/)
    })
  )

  it.live("a mistyped event type is refused with the nearest one", () =>
    Effect.gen(function* () {
      const { refused } = commandsOf(environmentOf("http://127.0.0.1:1", "svc_test_key"))
      for (const args of [
        "trigger payment.xpr",
        "events tail --type payment.xpr",
        "webhook create --url http://a --type nft.*,payment.xpr"
      ]) {
        const [code, line] = yield* refused(args)
        assert.strictEqual(code, 2)
        assert.match(line!, /the nearest one is payment\.xrp/)
      }
    })
  )
})
