/**
 * A ledger server in a process of its own: `ledgerServerProgram.ts COUNT [TRANSACTIONS]` makes that many ledgers (of so
 * many transactions each) and serves them from memory over rippled's WebSocket protocol. It sends its port. A message
 * with a number makes that many ledgers known and announces the last one. The program answers the message.
 */
import type { AddressInfo } from "node:net"
import { type WebSocket, WebSocketServer } from "ws"
import { networkIds } from "../../src/spine/event/Network.ts"
import { endWithParent, send } from "./Child.ts"
import { answerText, FIRST_LEDGER_INDEX, makeLedgers, TRANSACTIONS_PER_LEDGER } from "./ledgers.ts"
import { NETWORK } from "./webhooks.ts"

interface Request {
  readonly id: unknown
  readonly command: string
  readonly ledger_index?: unknown
}

const transactions = Number(process.argv[3] ?? TRANSACTIONS_PER_LEDGER)
const ledgers = makeLedgers(Number(process.argv[2]), transactions)
const subscribers = new Set<WebSocket>()
let known = 0

const head = () => {
  const ledger = ledgers[known - 1]
  return ledger === undefined
    ? {}
    : {
        ledger_index: ledger.index,
        ledger_hash: ledger.hash,
        validated_ledgers: `${FIRST_LEDGER_INDEX + 1}-${ledger.index}`
      }
}

const answer = ({ id, command, ledger_index }: Request): string => {
  const succeeded = (result: object) => JSON.stringify({ id, result, status: "success", type: "response" })
  if (command === "server_info")
    return succeeded({
      info: { network_id: networkIds[NETWORK], complete_ledgers: head().validated_ledgers ?? "empty" }
    })
  if (command === "subscribe") return succeeded(head())
  const place = Number(ledger_index) - FIRST_LEDGER_INDEX
  const ledger = place <= known ? ledgers[place - 1] : undefined
  return ledger === undefined
    ? JSON.stringify({ id, error: "lgrNotFound", error_code: 21, status: "error", type: "response" })
    : answerText(id, ledger)
}

const server = new WebSocketServer({ host: "127.0.0.1", port: 0 }, () => {
  // The server listens on TCP, so its address is not the name of a pipe.
  void send((server.address() as AddressInfo).port)
})
server.on("connection", (socket) => {
  socket.on("close", () => subscribers.delete(socket))
  socket.on("message", (data) => {
    // The source asks in this form.
    const request = JSON.parse(String(data)) as Request
    socket.send(answer(request))
    if (request.command === "subscribe") subscribers.add(socket)
  })
})
process.on("message", (count: number) => {
  known = count
  const message = JSON.stringify({ type: "ledgerClosed", ...head(), txn_count: transactions })
  for (const socket of subscribers) socket.send(message)
  void send(known)
})
endWithParent()
