/** When an actor's lanes start a batch, and with which deliveries. The timer, a lane's memory and the window decide. */
import {
  backlogIsOpen,
  checkRows,
  connected,
  ended,
  gathered,
  inBatches,
  inBatches0,
  inBatchesOf,
  offer,
  page,
  stopped,
  to,
  work
} from "../support/laneTables.ts"

checkRows({
  "a batch": [
    { what: "waits for more events", given: [], event: offer("d1", inBatches), commands: ["wake after 10"] },
    {
      what: "has one timer",
      given: [offer("d1", inBatches)],
      event: offer("d2", inBatches),
      commands: []
    },
    {
      what: "asks for a connection when it is full",
      given: [offer("d1", inBatches), offer("d2", inBatches)],
      event: offer("d3", inBatches),
      commands: ["connect"]
    },
    {
      what: "asks when its first event has waited long enough",
      given: [offer("d1", inBatches), offer("d2", inBatches)],
      event: gathered,
      atMs: 10,
      commands: ["connect"]
    },
    {
      what: "waits again if its timer was early",
      given: [offer("d1", inBatches), offer("d2", inBatches)],
      event: gathered,
      atMs: 9,
      commands: ["wake after 1"]
    },
    {
      what: "that may not wait takes what is offered at the same time",
      given: [],
      event: offer("d1", inBatches0),
      commands: ["wake after 1"]
    },
    {
      what: "starts in order with as many events as it may have, and the rest waits for the timer",
      given: ["d1", "d2", "d3"].map((id) => offer(id, inBatchesOf(2))),
      event: connected,
      commands: ["start d1 d2"]
    },
    {
      what: "is one request in the webhook's window",
      given: [...["d1", "d2", "d3", "d4"].map((id) => offer(id, inBatchesOf(2))), connected],
      event: connected,
      commands: ["start d3 d4"]
    },
    {
      what: "does not wait if its lane has no memory left",
      given: [offer("d1", inBatchesOf(9)), offer("d2", inBatchesOf(9)), offer("d3", inBatchesOf(9))],
      event: offer("d4", inBatchesOf(9)),
      commands: ["connect"]
    },
    {
      what: "does not wait in the backlog",
      given: [to({ kind: "resumed", current: inBatchesOf(9) } as const), ...backlogIsOpen],
      event: page("live", "d1", "d2"),
      commands: ["connect"]
    },
    {
      what: "is acknowledged when all its attempts are settled",
      given: [offer("d1", inBatches), offer("d2", inBatches), offer("d3", inBatches), connected, ended],
      event: to({ kind: "settled", works: ["d1", "d2", "d3"].map((id) => work(id, true)) } as const),
      commands: ["acknowledge d1", "acknowledge d2", "acknowledge d3"]
    },
    {
      what: "of replays asks for a replay start when it is full",
      given: [offer("r1", inBatchesOf(2))],
      event: offer("r2", inBatchesOf(2)),
      commands: ["askReplayStart"]
    },
    {
      what: "does not start while lanes stop",
      given: [offer("d1", inBatches), stopped],
      event: gathered,
      atMs: 10,
      commands: []
    }
  ]
})
