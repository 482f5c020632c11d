/** For each event of an actor's lanes: the events before it, the event, and the commands that follow. */
import {
  backlogIsOpen,
  caughtUp,
  changed,
  checkRows,
  connected,
  current,
  ended,
  full,
  inRows,
  offer,
  offers,
  others,
  page,
  replayed,
  replayMayStart,
  resumed,
  settled,
  spilled,
  stopped,
  to,
  woken,
  work
} from "../support/laneTables.ts"

checkRows({
  "a delivery from the log": [
    { what: "asks for a connection", given: [], event: offer("d1"), commands: ["connect"] },
    {
      what: "starts with it, and the next one asks",
      given: offers("d1", "d2"),
      event: connected,
      commands: ["start d1", "connect"]
    },
    {
      what: "is acknowledged if it is a duplicate",
      given: full,
      event: offer("d1"),
      commands: ["acknowledge d1"]
    },
    {
      what: "waits while the webhook's window is full",
      given: [...full, connected],
      event: connected,
      commands: ["start d2"]
    },
    {
      what: "starts when an attempt has ended, if it may run ahead of the record",
      given: [...full, connected, connected],
      event: ended,
      commands: ["disconnect", "connect"]
    },
    {
      what: "waits for the record if it may not run ahead",
      given: [...full, connected, connected],
      event: ended,
      commands: ["disconnect"],
      ahead: 0
    },
    {
      what: "starts when an attempt is settled, which is acknowledged",
      given: [...full, connected, connected, ended],
      event: settled("d1"),
      commands: ["acknowledge d1", "connect"],
      ahead: 0
    },
    {
      what: "runs ahead only as far as allowed",
      given: [...full, connected, connected, ended],
      event: connected,
      commands: ["start d3"],
      ahead: 1
    },
    {
      what: "waits for a token of the webhook's rate",
      given: [offer("d1", current("all", 2, 1)), offer("d2")],
      event: connected,
      commands: ["start d1", "wake after 1000"]
    },
    {
      what: "asks again when woken",
      given: offers("d1"),
      event: woken,
      commands: ["connect"]
    },
    {
      what: "that was spilled meanwhile gives its connection back",
      given: [offer("d1"), changed(current("none"))],
      event: connected,
      commands: ["disconnect"]
    }
  ],
  "a webhook whose deliveries are all settled": [
    {
      what: "takes no memory",
      given: [...offers("d1"), connected, ended],
      event: settled("d1"),
      commands: ["acknowledge d1", "forget"]
    },
    {
      what: "is kept while it has a rate, which it may have drawn on",
      given: [offer("d1", current("all", 2, 1)), connected, ended],
      event: settled("d1"),
      commands: ["acknowledge d1"]
    },
    {
      what: "is kept while a request for a connection is under way",
      given: [
        ...backlogIsOpen,
        ...offers("d1", "d2"),
        connected,
        changed(current("none")),
        spilled("d2"),
        changed(current()),
        page("live"),
        page("replays"),
        ended
      ],
      event: settled("d1"),
      commands: ["acknowledge d1"]
    }
  ],
  "the memory budget": [
    { what: "spills what is beyond a lane's share", given: full, event: offer("d5"), commands: ["spill d5"] },
    {
      what: "spills later work too, even if memory is free again",
      given: [...full, offer("d5"), connected, ended, settled("d1")],
      event: offer("d6"),
      commands: ["spill d6"]
    },
    {
      what: "spills the queued of a lane over its fair share for one that has nothing",
      given: [
        ...full,
        ...["e1", "e2"].map((id) => offer(id, current(), "wh_2")),
        offer("f1", current(), "wh_3")
      ],
      event: offer("f2", current(), "wh_3"),
      commands: ["spill d1 d2 d3 d4", "spill f2"]
    },
    {
      what: "goes to a lane that waits to page, once it is enough for a page",
      given: [
        ...others.map((id) => offer(id, current("all", 4), "wh_2")),
        ...[...offers("d1", "d2", "d3"), spilled("d3"), caughtUp("live"), connected, connected],
        ...others.map(() => ({ ...connected, webhookId: "wh_2" })),
        ...others.slice(0, 3).map((id) => ({ ...settled(id), webhookId: "wh_2" }))
      ],
      event: { ...settled("e4"), webhookId: "wh_2" },
      commands: ["acknowledge e4", 'read 2 live after ""']
    }
  ],
  "a backlog": [
    {
      what: "is not read before everything in the log at the start was offered",
      given: [],
      event: resumed,
      commands: []
    },
    {
      what: "is read afterwards, for each kind of lane separately",
      given: [resumed],
      event: caughtUp("live"),
      commands: ['read 4 live after ""']
    },
    {
      what: "takes work from the log",
      given: inRows,
      event: offer("d1"),
      commands: ["spill d1"]
    },
    {
      what: "starts what a page brought",
      given: inRows,
      event: page("live", "d1"),
      commands: ["connect"]
    },
    {
      what: "is read further after a full page, once half a page fits",
      given: [
        ...[...inRows, page("live", "d1", "d2", "d3", "d4"), connected, connected],
        ...[ended, ended, connected, settled("d1", false)]
      ],
      event: settled("d2", false),
      commands: ['read 2 live after "d4"']
    },
    {
      what: "skips deliveries that were settled while the page was read, and reads again",
      given: [...inRows, page("live", "d1"), connected, settled("d1", false)],
      event: page("live", "d1"),
      commands: ['read 4 live after ""']
    },
    {
      what: "ends with an empty page, and work from the log is queued again",
      given: [...inRows, page("live")],
      event: offer("d1"),
      commands: ["connect"]
    },
    {
      what: "is read from its start when a page from its middle brought nothing",
      given: [
        ...[...inRows, page("live", "d1", "d2", "d3", "d4"), connected, connected, ended, ended, connected],
        ...[settled("d1", false), settled("d2", false), connected]
      ],
      event: page("live"),
      commands: ['read 2 live after ""']
    },
    {
      what: "does not end while a delivery is being spilled",
      given: [...inRows, offer("d1"), page("live")],
      event: offer("d2"),
      commands: ["spill d2"]
    },
    {
      what: "is read again when that is spilled",
      given: [...inRows, offer("d1"), page("live")],
      event: spilled("d1"),
      commands: ["acknowledge d1", 'read 4 live after ""']
    },
    {
      what: "takes over a delivery that also waits in the queued of replays, which waits for the backlog",
      given: [
        ...[...backlogIsOpen, ...full, offer("d5"), spilled("d5"), replayed("d5")],
        ...["d1", "d2", "d3", "d4"].flatMap((id) => [connected, ended, settled(id)])
      ],
      event: page("live", "d5"),
      commands: ["acknowledge d5", "connect"]
    },
    {
      what: "is not read while its queued is being spilled",
      given: [...inRows, page("live", "d1"), changed(current("none"))],
      event: changed(current()),
      commands: []
    },
    {
      what: "is read from its start when that is spilled",
      given: [...inRows, page("live", "d1"), changed(current("none")), changed(current())],
      event: spilled("d1"),
      commands: ["acknowledge d1", 'read 4 live after ""']
    }
  ],
  "a webhook": [
    {
      what: "that is disabled has its queued spilled",
      given: full,
      event: changed(current("none")),
      commands: ["spill d1 d2 d3 d4"]
    },
    {
      what: "that may send only free deliveries reads those",
      given: inRows,
      event: changed(current("free")),
      commands: []
    },
    {
      what: "whose page was asked for with another permission asks again",
      given: [...inRows, changed(current("free"))],
      event: page("live", "d1"),
      commands: ['read 4 free after ""']
    },
    {
      what: "that is deleted has its queued written, because it may have no rows",
      given: offers("d1", "d2"),
      event: changed(undefined),
      commands: ["spill d1 d2"]
    },
    {
      what: "and is removed once that is written",
      given: [...offers("d1", "d2"), changed(undefined)],
      event: spilled("d1", "d2"),
      commands: ["acknowledge d1", "acknowledge d2", "forget"]
    },
    {
      what: "that is deleted stays while an attempt is under way",
      given: [...offers("d1", "d2"), connected, changed(undefined)],
      event: spilled("d2"),
      commands: ["acknowledge d2"]
    },
    {
      what: "and is removed once that is settled",
      given: [...offers("d1"), connected, changed(undefined), ended],
      event: settled("d1"),
      commands: ["acknowledge d1", "forget"]
    },
    {
      what: "that is unknown has its work ended",
      given: [],
      event: to({ kind: "offered", current: undefined, work: work("d1", true) }),
      commands: ["spill d1"]
    }
  ],
  "a replay": [
    { what: "asks for a replay start", given: [], event: offer("r1"), commands: ["askReplayStart"] },
    { what: "asks once", given: offers("r1"), event: offer("r2"), commands: [] },
    {
      what: "asks for a connection when it may start",
      given: offers("r1"),
      event: replayMayStart,
      commands: ["connect"]
    },
    {
      what: "starts, and asks for the next one",
      given: [...offers("r1", "r2"), replayMayStart],
      event: connected,
      commands: ["start r1", "askReplayStart"]
    },
    {
      what: "waits for queued live deliveries",
      given: [...offers("r1", "d1"), replayMayStart],
      event: connected,
      commands: ["start d1", "askReplayStart"]
    },
    {
      what: "waits for live deliveries of the backlog",
      given: [...offers("r1"), ...full, offer("d5")],
      event: replayMayStart,
      commands: []
    },
    {
      what: "waits while the account's quota is used up",
      given: [],
      event: offer("r1", current("free")),
      commands: ["spill r1"]
    }
  ],
  "lanes that have stopped": [
    { what: "start nothing", given: [stopped], event: offer("d1"), commands: [] },
    {
      what: "give back a connection that arrives late",
      given: [offer("d1"), stopped],
      event: connected,
      commands: ["disconnect"]
    },
    {
      what: "settle attempts under way",
      given: [...offers("d1", "d2"), connected, stopped, ended],
      event: settled("d1"),
      commands: ["acknowledge d1"]
    },
    {
      what: "ignore a page",
      given: [...inRows, stopped],
      event: page("live", "d1"),
      commands: []
    }
  ]
})
