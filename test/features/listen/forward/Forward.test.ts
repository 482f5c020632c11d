/** `ledgerhook listen --forward` sends real, signed events to a local address. Also: lost connections and refusals. */

import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { assert, describe, it, layer } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import { eventsApi } from "../../../../src/features/events/EventsContract.ts"
import {
  type Forwarded,
  type ForwardOptions,
  forward,
  PARALLEL
} from "../../../../src/features/listen/forward/Forward.ts"
import { forwardedJson, forwardedLine } from "../../../../src/features/listen/forward/ForwardView.ts"
import { withIncluded } from "../../../../src/spine/event/Include.ts"
import { envelopeJson, eventJson, type LedgerEvent } from "../../../../src/spine/event/LedgerEvent.ts"
import { randomId } from "../../../../src/spine/words/Ids.ts"
import { terminalLimits } from "../../../../src/terminal/Limits.ts"
import { connect } from "../../../../src/terminal/service/Requests.ts"
import { booked } from "../../../support/deliver/bookedEvent.ts"
import { eventually } from "../../../support/deliver/delivering.ts"
import { addresses } from "../../../support/deliver/events.ts"
import { makeReceiver, signatureHolds } from "../../../support/deliver/receiver.ts"
import { ApiUnderTest, apiLayer } from "../../../support/http/api.ts"
import { runCommand } from "../../../support/program/command.ts"
import { startProgram } from "../../../support/program/program.ts"
import { appendLedgers, ledgersOf } from "../../events/eventStream.ts"

const KEY = "svc_test_key"
const SECRET = "a-secret-of-ours"

/** An address where nothing listens. */
const closedAddress = Effect.callback<string>((resume) => {
  const server = createServer().listen(0, "127.0.0.1", () => {
    // The server listens on TCP.
    const { port } = server.address() as AddressInfo
    server.close(() => resume(Effect.succeed(`http://127.0.0.1:${port}`)))
  })
})

layer(apiLayer(), { excludeTestServices: true })("forwarding", (it) => {
  it.effect("posts each event that matches, signed as documented, and shows what became of it", () =>
    Effect.gen(function* () {
      const api = yield* ApiUnderTest
      const { key } = yield* api.account()
      const receiver = yield* makeReceiver((_, response) => {
        response.writeHead(response.req.headers["x-service-event-type"] === "nft.minted" ? 503 : 204).end()
        return "handled"
      })
      const args = [
        "--forward",
        receiver.url,
        "--url",
        api.url,
        "--type",
        "nft.*",
        "--type",
        "payment.xrp",
        "--include",
        "memos"
      ]
      const program = yield* startProgram(["listen", ...args, "--account", addresses[1]], {
        cwd: tmpdir(),
        environment: { LEDGERHOOK_API_KEY: key }
      })
      const secret = /whsec_\S+(?=,)/.exec(yield* program.said(/secret/))![0]
      const account = addresses[1]
      const all = ledgersOf({ first: 10, count: 10, perLedger: 3, account }).map((event) => ({
        ...event,
        ...booked
      }))
      const events = all.filter(
        ({ accounts, event_type }) =>
          accounts.includes(account) && ["payment.xrp", "nft.minted"].includes(event_type)
      )
      yield* appendLedgers(all)
      yield* receiver.until((received) => received.length === events.length)
      for (const one of receiver.received) {
        assert.isTrue(signatureHolds(secret, one))
        const event = events.find(({ event_id }) => event_id === one.event.event_id)!
        assert.strictEqual(one.body, envelopeJson(withIncluded(event, ["memos"]), one.event.webhook_id))
        assert.match(one.event.webhook_id, /^wh_/)
        assert.strictEqual(one.headers["x-service-event-id"], event.event_id)
        assert.match(one.deliveryId, /^dlv_/)
      }
      yield* eventually(
        Effect.sync(() => assert.strictEqual(program.stdout().trim().split("\n").length, events.length))
      )
      yield* program.signal("SIGTERM")
      assert.strictEqual(yield* program.ended, 0)
      for (const line of program.stdout().trim().split("\n")) {
        const { event_id, event_type, status } = JSON.parse(line)
        assert.include(
          events.map((event) => event.event_id),
          event_id
        )
        assert.strictEqual(status, event_type === "nft.minted" ? 503 : 204)
      }
    }).pipe(Effect.scoped)
  )

  it.effect("is refused with the service's own sentence", () =>
    Effect.gen(function* () {
      const api = yield* ApiUnderTest
      const { accountId, key } = yield* api.account()
      const reader = yield* api.keyFor(accountId, "live", ["webhooks:read"])
      const ask = (...flags: ReadonlyArray<string>) =>
        runCommand(["listen", "--forward", "http://127.0.0.1:1/", ...flags], { environment: {} })
      const wrongKey = yield* ask("--url", api.url, "--api-key", KEY)
      assert.strictEqual(wrongKey.code, 1)
      assert.strictEqual(
        wrongKey.stderr,
        `ledgerhook: ${api.url}: A valid API key is required in the header X-Service-Key, or as Authorization: Bearer. (UNAUTHORIZED) Set LEDGERHOOK_API_KEY to a valid key of this service.\n`
      )
      const noScope = yield* ask("--url", api.url, "--api-key", reader)
      assert.strictEqual(
        noScope.stderr,
        `ledgerhook: ${api.url}: This key lacks the scope events:read. (FORBIDDEN)\n`
      )
      const network = yield* ask("--url", api.url, "--api-key", key, "--network", "devnet")
      assert.strictEqual(
        network.stderr,
        `ledgerhook: ${api.url}: network must be mainnet with a live key. (VALIDATION_ERROR)\n`
      )
      const closed = yield* closedAddress
      for (const [url, reason] of [
        [closed, "connection refused"],
        ["http://127.0.0.1:1", "connection failed (bad port)"]
      ] as const) {
        const { code, stderr } = yield* ask("--url", url, "--api-key", key)
        assert.deepStrictEqual(
          [code, stderr],
          [
            1,
            `ledgerhook: ${url} cannot be reached: ${reason}. Check LEDGERHOOK_URL, and whether the service runs.\n`
          ]
        )
      }
      const elsewhere = yield* ask("--url", `${api.url}/docs`, "--api-key", key)
      assert.match(elsewhere.stderr, /: This path does not exist; /)
    })
  )
})

/** A service that answers connections with the script's answers in order, and later ones with the last answer. */
const scripted = (...script: ReadonlyArray<(response: ServerResponse, request: IncomingMessage) => void>) =>
  Effect.gen(function* () {
    const asked: Array<string | undefined> = []
    const server = createServer((request, response) => {
      asked.push(request.headers["last-event-id"]?.toString())
      script[Math.min(asked.length, script.length) - 1]!(response, request)
    })
    yield* Effect.acquireRelease(
      Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
      () =>
        Effect.sync(() => {
          server.close()
          server.closeAllConnections()
        })
    )
    // The server listens on TCP.
    const { port } = server.address() as AddressInfo
    return { url: `http://127.0.0.1:${port}`, asked }
  })

const blockOf = (event: LedgerEvent): string =>
  `id: ${event.event_id}\nevent: ${event.event_type}\ndata: ${eventJson(event)}\n\n`

const streaming = (response: ServerResponse, text: string) => {
  response.writeHead(200, { "content-type": "text/event-stream" })
  response.write(text)
}

/** Runs the command until it fails, and returns its output. */
const forwarding = Effect.fnUntraced(function* (url: string, to: string, more: Partial<ForwardOptions> = {}) {
  const forwarded: Array<Forwarded> = []
  const lost: Array<readonly [reason: string, waitMs: number]> = []
  const failure = yield* Effect.flip(
    forward({
      to: new URL(to),
      secret: SECRET,
      webhookId: randomId("wh_", 0),
      api: yield* connect(eventsApi, { url, key: KEY }),
      url,
      query: {},
      onForwarded: (one) => Effect.sync(() => void forwarded.push(one)),
      onOpen: () => Effect.void,
      onLost: (...one) => Effect.sync(() => void lost.push(one)),
      ...more
    })
  )
  return { message: failure.message, forwarded, lost }
})

const END = 'event: error\ndata: {"error":{"code":"UNAUTHORIZED","message":"The key is over."}}\n\n'

describe("a stream that is lost", () => {
  it.live("is resumed after the last event or position that it gave, until the key is refused", () =>
    Effect.gen(function* () {
      const receiver = yield* makeReceiver()
      const [first, second] = ledgersOf({ first: 10, perLedger: 2 })
      const position = `xrpl:11:${"B".repeat(64)}:payment.xrp`
      const { asked, url } = yield* scripted(
        (response) => {
          streaming(response, `: keep-alive\n\n${blockOf(first!)}`)
          response.end()
        },
        (response) => {
          streaming(
            response,
            `${blockOf(second!)}: keep-alive\nid: ${position}\n\nevent: error\ndata: {"error":{"code":"UNAVAILABLE","message":"It stops."}}\n\n`
          )
        },
        (response) => streaming(response, END)
      )
      const { lost, message } = yield* forwarding(url, receiver.url)
      assert.deepStrictEqual(asked, [undefined, first!.event_id, position])
      assert.strictEqual(
        message,
        `${url}: The key is over. (UNAUTHORIZED) Set LEDGERHOOK_API_KEY to a valid key of this service.`
      )
      assert.deepStrictEqual(lost, [
        ["the stream ended", 1_000],
        ["It stops.", 1_000]
      ])
      yield* receiver.until((received) => received.length === 2)
      for (const one of receiver.received) assert.isTrue(signatureHolds(SECRET, one))
    }).pipe(Effect.scoped)
  )

  it.live("is requested again when the service is busy, after the time that it says", () =>
    Effect.gen(function* () {
      const { url } = yield* scripted(
        (response) => {
          response.writeHead(429, { "retry-after": "2" })
          response.end('{"error":{"code":"STREAM_LIMIT_REACHED","message":"Too many."}}')
        },
        (response) => streaming(response, END)
      )
      const { lost } = yield* forwarding(url, "http://127.0.0.1:1/")
      assert.deepStrictEqual(lost, [["Too many.", 2_000]])
    }).pipe(Effect.scoped)
  )

  it.live("is not requested again if the path is no stream", () =>
    Effect.gen(function* () {
      const { asked, url } = yield* scripted(
        (response) => response.writeHead(404).end("<html>"),
        (response) => response.writeHead(301, { location: "http://elsewhere" }).end(),
        (response) => response.writeHead(200, { "content-type": "text/html" }).end("<html>"),
        (response) => streaming(response, `data: ${"x".repeat(terminalLimits.listenBodyBytes)}`),
        (response) => streaming(response, "data: {}\n\n")
      )
      const says = () => Effect.map(forwarding(url, "http://127.0.0.1:1/"), ({ message }) => message)
      const noApi =
        "but not as a Ledgerhook API does; set LEDGERHOOK_URL to the address of one, as https://api.example.com."
      assert.strictEqual(yield* says(), `${url} answered HTTP 404, ${noApi}`)
      assert.strictEqual(yield* says(), `${url} answered HTTP 301, ${noApi}`)
      assert.strictEqual(yield* says(), `${url} answered with something else than an event stream.`)
      assert.match(yield* says(), /: an event of the stream has more than 1048576 characters\.$/)
      assert.strictEqual(
        yield* says(),
        `${url} sent an event that this version cannot read. The service must be of release 0.3 or later.`
      )
      assert.strictEqual(asked.length, 5)
    }).pipe(Effect.scoped)
  )
})

describe("a local address", () => {
  it.live("that is slow gets few events at once, and one that is not there causes a line for each", () =>
    Effect.gen(function* () {
      const held: Array<ServerResponse> = []
      const receiver = yield* makeReceiver((_, response) => {
        held.push(response)
        return "handled"
      })
      const events = ledgersOf({ first: 10, count: 5 })
      const open = yield* Deferred.make<ServerResponse>()
      const { url } = yield* scripted((response) => {
        streaming(response, events.map(blockOf).join(""))
        Deferred.doneUnsafe(open, Effect.succeed(response))
      })
      const running = yield* Effect.forkChild(forwarding(url, receiver.url))
      yield* receiver.until((received) => received.length === PARALLEL)
      while (held.length < events.length) {
        assert.isAtMost(held.length, PARALLEL + receiver.received.length)
        const before = receiver.received.length
        held[before - PARALLEL]!.end()
        yield* receiver.until((received) => received.length === before + 1)
      }
      assert.deepStrictEqual(
        receiver.received.map(({ event }) => event.event_id),
        events.map(({ event_id }) => event_id)
      )
      for (const response of held) response.end()
      const response = yield* Deferred.await(open)
      response.end(END)
      yield* eventually(Effect.sync(() => assert.isDefined(running.pollUnsafe())))

      const { url: another } = yield* scripted((response) => {
        streaming(response, blockOf(events[0]!))
      })
      const failures: Array<string | undefined> = []
      const told = yield* Effect.forkChild(
        forwarding(another, yield* closedAddress, {
          onForwarded: ({ failure }) => Effect.sync(() => void failures.push(failure))
        })
      )
      yield* eventually(Effect.sync(() => assert.deepStrictEqual(failures, ["connection refused"])))
      assert.isUndefined(told.pollUnsafe())
    }).pipe(Effect.scoped)
  )
})

describe("what is shown of an event", () => {
  const [event] = ledgersOf({ first: 10 })
  const forwarded: Forwarded = {
    event: event!,
    deliveryId: "dlv_1",
    sentAt: 0,
    status: 200,
    tookMs: 12,
    failure: undefined
  }

  it("is a line for people and a JSON line for programs, without control characters", () => {
    assert.strictEqual(
      forwardedLine(forwarded, false),
      `200      12 ms  payment.xrp               ${event!.event_id}`
    )
    const failed = { ...forwarded, status: undefined, failure: "connection refused" }
    assert.isTrue(forwardedLine(failed, true).startsWith("\u001b[31m---\u001b[0m "))
    assert.include(forwardedLine(failed, true), "connection refused")
    assert.deepInclude(JSON.parse(forwardedJson(failed)), { status: null, error: "connection refused" })
    assert.strictEqual(JSON.parse(forwardedJson(forwarded)).sequence, "0000000010.000000")
    const hostile = { ...forwarded, event: { ...event!, event_id: "\u001b[2J" } }
    assert.notInclude(forwardedLine(hostile, false), "\u001b")
  })
})

describe("flags", () => {
  it.effect("for forwarding are refused without --forward, and flags for receiving are refused with it", () =>
    Effect.gen(function* () {
      const says = (args: string) =>
        Effect.map(runCommand(["listen", ...args.split(" ")], { environment: {} }), ({ code, stderr }) => {
          assert.strictEqual(code, 2, args)
          return stderr.split("\n")[0]
        })
      const needs = "needs --forward, the address that events are posted to."
      assert.strictEqual(yield* says("--type nft.*"), `ledgerhook: --type ${needs}`)
      assert.strictEqual(yield* says("--url http://a"), `ledgerhook: --url ${needs}`)
      assert.strictEqual(
        yield* says("--forward http://a --port 1 --api-key k"),
        "ledgerhook: --port has no meaning with --forward: nothing is received here."
      )
      assert.strictEqual(
        yield* says("--forward http://a"),
        "ledgerhook: --forward needs an API key with the scope events:read, in --api-key or in LEDGERHOOK_API_KEY."
      )
      assert.strictEqual(
        yield* says("--forward localhost:3000"),
        'ledgerhook: Invalid value for flag --forward: "localhost:3000". Expected: an http or https URL without a user name, as http://localhost:3000/hook'
      )
    })
  )
})
