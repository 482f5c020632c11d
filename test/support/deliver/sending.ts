/** The program's sender, and real servers for it to send to. */

import { createServer as createTlsServer } from "node:https"
import { type AddressInfo, createServer as createTcpServer, type Socket } from "node:net"
import type { TLSSocket } from "node:tls"
import { Effect, Layer } from "effect"
import { responseLimits } from "../../../src/spine/deliver/Limits.ts"
import { Sender } from "../../../src/spine/deliver/send/Sender.ts"
import { signedRequest } from "../../../src/spine/deliver/send/Signer.ts"
import type { AttemptOutcome } from "../../../src/spine/domain/Delivery.ts"
import type { LedgerEvent } from "../../../src/spine/event/LedgerEvent.ts"
import { settingsLayer } from "../program/settings.ts"
import { type Answer, makeReceiver } from "./receiver.ts"

export const event: LedgerEvent = {
  event_id: "xrpl:1:AB:payment.xrp",
  event_type: "payment.xrp",
  ledger_index: 1,
  timestamp: "2026-11-21T09:30:00Z",
  payload: { tx_hash: "AB", sender: "rA", receiver: "rB", amount: "1" },
  accounts: ["rA", "rB"],
  network: "mainnet",
  position: 0,
  detected_at: 1
}
export const SECRET = "whsec_test"
export const requestTo = (url: string) =>
  signedRequest({
    url: new URL(url),
    headers: { "X-Mine": "1" },
    secrets: [SECRET],
    webhookId: "wh_1",
    deliveryId: "dlv_1",
    event,
    nowMs: 1_700_000_000_999
  })

export const senderWith = (environment: Readonly<Record<string, string>> = {}) =>
  Sender.layer.pipe(Layer.provide(settingsLayer({ DELIVERY_TIMEOUT: "300 millis", ...environment })))

/** The outcome of one attempt by this sender. */
export const sendBy = ({ opened }: Sender["Service"], url: string, accountId = "acct_1") =>
  Effect.flatMap(opened, (send) =>
    Effect.callback<AttemptOutcome>((resume) =>
      send(accountId, requestTo(url), responseLimits.responseBodyBytes, (outcome) =>
        resume("shortage" in outcome ? Effect.die(outcome.shortage) : Effect.succeed(outcome))
      )
    )
  ).pipe(Effect.scoped)

export const send = (url: string, environment?: Readonly<Record<string, string>>) =>
  Effect.flatMap(Sender, (sender) => sendBy(sender, url)).pipe(Effect.provide(senderWith(environment)))

/** The outcome of an attempt at a receiver with this answer. */
export const attemptAt = (answer: Answer) =>
  Effect.scoped(Effect.flatMap(makeReceiver(answer), (receiver) => send(receiver.url)))

/** A raw TCP server that does `onSocket` with each connection. */
export const tcpServer = (onSocket: (socket: Socket) => void) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.callback<ReturnType<typeof createTcpServer>>((resume) => {
        const server = createTcpServer((socket) => {
          socket.on("error", () => {})
          onSocket(socket)
        })
        server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
      }),
      (server) => Effect.sync(() => void server.close())
    ),
    (server) => (server.address() as AddressInfo).port
  )

/** An HTTPS server that answers 200 to everything and does `onSocket` with each connection. */
export const tlsServer = (
  options: { readonly key: string; readonly cert: string; readonly ALPNProtocols?: Array<string> },
  onSocket: (socket: TLSSocket) => void = () => {}
) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.callback<ReturnType<typeof createTlsServer>>((resume) => {
        const server = createTlsServer(options, (_, response) => response.end())
        server.on("tlsClientError", () => {})
        server.on("secureConnection", onSocket)
        server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
      }),
      (server) => Effect.sync(() => void server.close())
    ),
    (server) => (server.address() as AddressInfo).port
  )
