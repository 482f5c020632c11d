/**
 * `ledgerhook listen`: a receiver to try webhooks with. It prints each request (a block on a terminal, a JSON line when
 * piped) and answers 200, or 401 if the signature is wrong. With --status and --delay it behaves like a failing or slow
 * receiver.
 */
import { Clock, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { Limits } from "../../config/Limits.ts"
import { parseDuration } from "../../config/Values.ts"
import { wholeNumber, withDefault } from "../terminal/Flags.ts"
import { about } from "../terminal/Help.ts"
import { Invocation, stdoutColour } from "../terminal/Invocation.ts"
import { print, printError } from "../terminal/Output.ts"
import { Signals } from "../terminal/Signals.ts"
import { block, jsonLine, type Received, verifySignature } from "./Received.ts"
import { makeReceiver, type Post } from "./Receiver.ts"

const WRONG_SIGNATURE_STATUS = 401

const delay = (text: string): number => {
  const ms = /^0+$/.test(text) ? 0 : parseDuration(text)
  if (ms === undefined || ms > Limits.listenDelayMs) {
    throw new Error("a number with a unit, such as `500ms` or `12 seconds`, up to 10 minutes")
  }
  return ms
}

const flags = {
  port: wholeNumber("port", 0, 65_535, "a port from 0 to 65535").pipe(
    withDefault(4000, "Port to listen on; 0: any free port")
  ),
  host: Flag.String("host").pipe(withDefault("127.0.0.1", "Address to listen on")),
  secret: Flag.String("secret").pipe(
    Flag.withDescription(
      "The webhook's secret, from the response that created it; without it signatures are not checked"
    ),
    Flag.optional
  ),
  status: wholeNumber("status", 200, 599, "a status from 200 to 599").pipe(
    withDefault(
      200,
      "HTTP status to answer with, for example 503 to see retries; a wrong signature is always answered with 401"
    )
  ),
  delay: Flag.String("delay").pipe(
    Flag.withMetavar("TIME"),
    Flag.mapTryCatch(delay, (error) => (error as Error).message),
    withDefault(0, "How long to wait before answering, such as 500ms, or 12s to see timeouts", "0s")
  )
}

export const listen = Command.make(
  "listen",
  flags,
  Effect.fnUntraced(function* ({ host, port, secret, status, delay: delayMs }) {
    const invocation = yield* Invocation
    const { untilStopped } = yield* Signals
    const colour = stdoutColour(invocation)
    const show = (received: Received) =>
      print(invocation.stdoutTerminal ? block(received, colour) : jsonLine(received))
    const answer = Effect.fnUntraced(function* ({ path, headers, body }: Post) {
      const signature = verifySignature(Option.getOrUndefined(secret), body, headers["x-service-signature"])
      const isWrong = signature === "wrong"
      const given = isWrong ? WRONG_SIGNATURE_STATUS : status
      yield* show({
        receivedAt: new Date(yield* Clock.currentTimeMillis).toISOString(),
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
    "Receive, verify and show webhooks",
    "Receive webhooks on this machine. Each request is verified (401 if its signature is wrong) and shown: as a block of text on a terminal, as a JSON line when piped. For deliveries to this machine, start the service with DELIVERY_ALLOW_PRIVATE_ADDRESSES=true and DELIVERY_ALLOW_HTTP=true.",
    {
      "ledgerhook listen --secret whsec_…": "Show webhooks and verify their signatures",
      "ledgerhook listen --port 4001 --status 503": "Fail every attempt, to see retries",
      "ledgerhook listen --delay 12s": "Answer too late, to see timeouts",
      "ledgerhook listen | jq .body.payload": "Show only the payloads"
    }
  )
)
