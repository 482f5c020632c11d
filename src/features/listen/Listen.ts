/**
 * `ledgerhook listen`: a receiver to try webhooks with. It prints each request (a block on a terminal, a JSON line when
 * piped) and answers 200, or 401 if the signature is wrong. With --status and --delay it behaves like a failing or slow
 * receiver. With --forward it receives nothing: it posts the live events of a service to a receiver on this machine.
 */
import { Clock, Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { parseDuration } from "../../spine/config/Values.ts"
import { generateSecret, SECRET_CHARACTERS } from "../../spine/domain/WebhookSecret.ts"
import { randomId } from "../../spine/words/Ids.ts"
import { wrongUsage } from "../../terminal/Failure.ts"
import { optional, switchFlag, wholeNumber, withDefault } from "../../terminal/Flags.ts"
import { about } from "../../terminal/Help.ts"
import { Invocation, stdoutColour } from "../../terminal/Invocation.ts"
import { print, printError } from "../../terminal/Output.ts"
import { makeReceiver, type Post } from "../../terminal/Receiver.ts"
import { Signals } from "../../terminal/Signals.ts"
import { withService } from "../../terminal/service/WithService.ts"
import { connectionNotes } from "../events/follow/ConnectionNotes.ts"
import { type Forwarding, forwardFlags, forwardOf } from "./forward/ForwardFlags.ts"
import { forwardedJson, forwardedLine } from "./forward/ForwardView.ts"
import { block, jsonLine, line, type Received, verifyRequest } from "./Received.ts"

/** Much longer than any delivery timeout. */
const DELAY_MAX_MS = 10 * 60_000

const WRONG_SIGNATURE_STATUS = 401

const delay = (text: string): number => {
  const ms = /^0+$/.test(text) ? 0 : parseDuration(text)
  if (ms === undefined || ms > DELAY_MAX_MS) {
    throw new Error("a number with a unit, such as `500ms` or `12 seconds`, up to 10 minutes")
  }
  return ms
}

/** The defaults of the flags for receiving. */
const standard = { port: 4000, host: "127.0.0.1", status: 200, delay: 0 }
const standardNames = ["port", "host", "status", "delay"] as const

const flags = {
  port: wholeNumber("port", 0, 65_535, "a port from 0 to 65535").pipe(
    withDefault(standard.port, "Port to listen on; 0: any free port")
  ),
  host: Flag.String("host").pipe(withDefault(standard.host, "Address to listen on")),
  secret: Flag.String("secret").pipe(
    Flag.withDescription(
      "The webhook's secret, from the response that created it; without it signatures are not checked. With --forward: the secret to sign with; without it a new one is made and shown"
    ),
    optional
  ),
  status: wholeNumber("status", 200, 599, "a status from 200 to 599").pipe(
    withDefault(
      standard.status,
      "HTTP status to answer with, for example 503 to see retries; a wrong signature is always answered with 401"
    )
  ),
  delay: Flag.String("delay").pipe(
    Flag.withMetavar("TIME"),
    Flag.mapTryCatch(delay, (error) => (error as Error).message),
    withDefault(
      standard.delay,
      "How long to wait before answering, such as 500ms, or 12s to see timeouts",
      "0s"
    )
  ),
  verbose: switchFlag("verbose", "On a terminal, show each event with its payload, not in one line"),
  ...forwardFlags
}

/** Runs until it is interrupted. */
const forwarding = Effect.fnUntraced(function* (
  { api: target, query, to }: Forwarding,
  ownSecret: string | undefined
) {
  // Imported here, because it loads the contract, which slows the start.
  const { forward } = yield* Effect.promise(() => import("./forward/Forward.ts"))
  const invocation = yield* Invocation
  const colour = stdoutColour(invocation)
  const secret = ownSecret ?? generateSecret()
  const webhookId = randomId("wh_", yield* Clock.currentTimeMillis)
  const { url } = target
  const opening = `Forwarding events of ${url} to ${to.href}; Ctrl-C ends it.\nSigned with the secret ${secret}, as webhook ${webhookId}.`
  return yield* withService(
    async () => (await import("../events/EventsContract.ts")).eventsApi,
    (api) =>
      forward({
        api,
        url,
        query,
        to,
        secret,
        webhookId,
        onForwarded: (forwarded) =>
          print(invocation.stdoutTerminal ? forwardedLine(forwarded, colour) : forwardedJson(forwarded)),
        ...connectionNotes(opening)
      }),
    target
  )
})

export const listen = Command.make(
  "listen",
  flags,
  Effect.fnUntraced(function* ({ host, port, secret, status, delay: delayMs, verbose, ...forwardGiven }) {
    const invocation = yield* Invocation
    const { untilStopped } = yield* Signals
    // Not a filter of the flag: its message would show the secret.
    if (secret !== undefined && !SECRET_CHARACTERS.test(secret)) {
      return yield* wrongUsage("--secret must be visible ASCII characters without blanks or newlines.")
    }
    const wanted = yield* forwardOf(forwardGiven, invocation.environment)
    if (wanted !== undefined) {
      const receiving = { port, host, status, delay: delayMs }
      const idle = standardNames.find((name) => receiving[name] !== standard[name])
      if (idle !== undefined) {
        return yield* wrongUsage(`--${idle} has no meaning with --forward: nothing is received here.`)
      }
      yield* untilStopped(forwarding(wanted, secret))
      return
    }
    const colour = stdoutColour(invocation)
    const show = (received: Received) =>
      print(
        !invocation.stdoutTerminal
          ? jsonLine(received)
          : verbose
            ? block(received, colour)
            : line(received, colour)
      )
    const answer = Effect.fnUntraced(function* ({ path, headers, body }: Post) {
      const now = yield* Clock.currentTimeMillis
      const signature = verifyRequest(secret, body, headers, now)
      const isWrong = signature === "wrong"
      const given = isWrong ? WRONG_SIGNATURE_STATUS : status
      yield* show({
        receivedAt: new Date(now).toISOString(),
        path,
        headers,
        body: body.toString(),
        signature,
        status: given
      })
      yield* Effect.sleep(delayMs)
      return { status: given, text: isWrong ? "ledgerhook listen: wrong signature.\n" : "" }
    })
    const serve = Effect.gen(function* () {
      const url = yield* makeReceiver(host, port, answer)
      yield* printError(`Listening on ${url}; press Ctrl-C to stop.`)
      return yield* Effect.never
    })
    yield* untilStopped(Effect.scoped(serve))
  })
).pipe(
  about(
    "Receive, verify and show webhooks, or forward live events",
    "Receive webhooks on this machine. Each request is verified (401 if a signature, X-Service-Signature or Standard Webhooks, is wrong) and shown: in one line on a terminal (with --verbose, with its payload), as a JSON line when piped. For deliveries to this machine, start the service with DELIVERY_ALLOW_PRIVATE_ADDRESSES=true and DELIVERY_ALLOW_HTTP=true. With --forward, the command posts the live events of a service to a receiver on this machine instead. This works behind a firewall, without a webhook and without a public address. Requests are signed as a webhook's are. Each event is sent once, and the status and time of each answer are shown. After a lost connection, the command resumes after the last event.",
    {
      "ledgerhook listen --secret whsec_…": "Show webhooks and verify their signatures",
      "ledgerhook listen --verbose": "Show their payloads too",
      "ledgerhook listen --port 4001 --status 503": "Fail every attempt, to see retries",
      "ledgerhook listen --delay 12s": "Answer too late, to see timeouts",
      "ledgerhook listen | jq .body.payload": "Show only the payloads",
      "ledgerhook listen --forward http://localhost:3000/hook --url https://api.example.com":
        "Send live events of a service to your own server; the key is in LEDGERHOOK_API_KEY",
      "ledgerhook listen --forward http://localhost:3000/hook --type 'nft.*' --secret whsec_…":
        "Send NFT events of the service in LEDGERHOOK_URL, signed with this secret"
    }
  )
)
