/**
 * Situations of the whole service: what processes, parts, stages and hosts are like, and what the report says. The numbers
 * are those of the table in the design of the model. A face shows these sentences and no others.
 */

import type { StageFact } from "../../../src/features/operate/model/LateStages.ts"
import { locksPart, mailPart, registryPart } from "../../../src/features/operate/model/PartProbes.ts"
import type { ServiceFacts } from "../../../src/features/operate/model/Report.ts"
import { rolePart } from "../../../src/features/operate/model/SeenProcess.ts"
import { roles } from "../../../src/spine/config/Definitions.ts"
import type { SeenNetwork } from "../../../src/spine/ledger/ingest/NetworkFacts.ts"
import { seenProcess } from "./seenProcess.ts"

export const NOW = Date.parse("2026-11-25T14:06:30Z")
export const MINUTE = 60_000
export const webhooks = { failing: 0, waiting: 0, disabled: 0, paused: 0, new: 0, healthy: 0 }
const ok = { status: "ok", detail: "answers" } as const
const failed = (detail: string) => ({ status: "failed", detail }) as const

/** Six processes on hosts a to f that have all roles. */
const six = (of: (host: string) => Parameters<typeof seenProcess>[0]) =>
  ["a", "b", "c", "d", "e", "f"].map((host, i) => seenProcess({ host, pid: i, ...of(host) }))
export const without = (role: string) => seenProcess({ roles: roles.filter((one) => one !== role) })
export const stage = (of: Partial<StageFact> & Pick<StageFact, "stage">): StageFact => ({
  network: "",
  because: "service",
  oldestMs: 0,
  waiting: 0,
  ...of
})

/** A network as its row shows it, with facts that no finding needs. */
const network = (of: Pick<SeenNetwork, "network" | "status" | "detail">): SeenNetwork => ({
  // The cast is safe: the report uses the state that was made of them.
  facts: {} as SeenNetwork["facts"],
  seenAgoMs: 1_000,
  ...of
})

export const well: ServiceFacts = {
  nowMs: NOW,
  processes: [seenProcess()],
  withoutRoles: [],
  networks: [network({ network: "mainnet", status: "ok", detail: "At the head." })],
  outside: [],
  stages: [stage({ stage: "ingest", network: "mainnet", because: "outside", oldestMs: 3_000 })],
  webhooks: { ...webhooks, healthy: 224 },
  hosts: { all: 60, failing: 0 },
  lost: []
}

interface Situation {
  readonly what: string
  readonly facts: Partial<ServiceFacts>
  readonly ok: boolean
  /** All sentences, in their order. */
  readonly says: ReadonlyArray<string | RegExp>
}

export const situations: ReadonlyArray<Situation> = [
  {
    what: "1: a quiet night",
    facts: {},
    ok: true,
    says: ["The service is well. None of 224 webhooks fails."]
  },
  {
    what: "2: a busy day on which a tenth of the endpoints are dead",
    facts: {
      webhooks: { ...webhooks, healthy: 198, waiting: 4, failing: 22 },
      hosts: { all: 60, failing: 9 },
      stages: [stage({ stage: "deliver", because: "webhook", oldestMs: 218 * MINUTE, waiting: 12_400 })]
    },
    ok: true,
    says: ["The service is well. 22 of 224 active webhooks fail, at 9 hosts."]
  },
  {
    what: "19: a replay of a million runs",
    facts: { stages: [stage({ stage: "replay", because: "webhook", waiting: 1 })] },
    ok: true,
    says: [/^The service is well\./]
  },
  {
    what: "22: our own way to the internet is gone",
    facts: { webhooks: { ...webhooks, failing: 220, healthy: 4 }, hosts: { all: 100, failing: 96 } },
    ok: false,
    says: [
      "96 of 100 hosts fail that webhooks were sent to in the last hour: the cause is probably here. Check DNS, the firewall and the route to the internet."
    ]
  },
  {
    what: "23: no process has the role delay",
    facts: {
      processes: [
        without("delay"),
        seenProcess({ host: "b", pid: 311, roles: ["delay"], seenAgoMs: 259_000, stopped: true })
      ],
      stages: [stage({ stage: "delay", oldestMs: 259_000, waiting: 6_310 })]
    },
    ok: false,
    says: [
      "No process has the role delay: the last one (host b, pid 311, version 0.3.0) stopped in order 4 min 19 s ago. 6,310 retries are overdue, oldest 4 min 19 s. Start a process with ROLES=delay."
    ]
  },
  {
    what: "24: no process has the role deliver",
    facts: {
      processes: [without("deliver")],
      stages: [stage({ stage: "deliver", oldestMs: 120_000, waiting: 480 })]
    },
    ok: false,
    says: [
      /^No process has the role deliver: .* 480 deliveries wait for the service, oldest 2 min 0 s\. Start/
    ]
  },
  {
    what: "25: no process has the role ingest",
    facts: {
      processes: [without("ingest")],
      stages: [stage({ stage: "ingest", network: "mainnet", oldestMs: 90_000, waiting: 25 })]
    },
    ok: false,
    says: [
      /^No process has the role ingest: .* Ledgers of mainnet are taken late: 25 ledgers behind, oldest 1 min 30 s\. Start/
    ]
  },
  {
    what: "26: no process has the role events: nobody is woken",
    facts: { processes: [without("events")] },
    ok: true,
    says: [/^The service is well\./, /^No process has the role events/]
  },
  {
    what: "27: no process has the role api",
    facts: { processes: [without("api")] },
    ok: false,
    says: [/^No process has the role api/]
  },
  {
    what: "a role is left out on purpose",
    facts: { processes: [without("replay")], withoutRoles: ["replay"] },
    ok: true,
    says: [/^The service is well\./]
  },
  {
    what: "30: Kafka is away; stages that fail because of it are no second finding",
    facts: {
      processes: six(() => ({
        failing: ["route", "deliver"],
        parts: { log: failed("ECONNREFUSED k1:9092"), database: ok }
      })),
      stages: undefined,
      networks: [network({ network: "mainnet", status: "degraded", detail: "38 ledgers left." })]
    },
    ok: false,
    says: [
      "The log answers none of 6 processes: ECONNREFUSED k1:9092. Deliveries wait; nothing is lost. Repair it: everything resumes automatically."
    ]
  },
  {
    what: "Kafka is away and nobody has the role delay: both are causes",
    facts: {
      processes: [seenProcess({ ...without("delay"), parts: { log: failed("ECONNREFUSED k1:9092") } })],
      stages: undefined
    },
    ok: false,
    says: [/^The log answers none of 1 process:/, /^No process has the role delay/]
  },
  {
    what: "33: PostgreSQL is slow, but nothing is late yet",
    facts: {
      processes: [
        seenProcess({
          parts: { database: { status: "degraded", detail: "takes 2.1 s for a small statement" } }
        })
      ]
    },
    ok: true,
    says: [/^The service is well\./, "PostgreSQL: takes 2.1 s for a small statement."]
  },
  {
    what: "34: one of six processes is cut off from Kafka",
    facts: {
      processes: six((host) => ({ parts: { log: host === "c" ? failed("ETIMEDOUT") : ok } }))
    },
    ok: true,
    says: [
      /^The service is well\./,
      "The log does not answer host c, pid 2, but 5 others: ETIMEDOUT. Check the network of that machine."
    ]
  },
  {
    what: "35: the servers of a network are silent; that its stage is late is no second finding",
    facts: {
      networks: [
        network({
          network: "mainnet",
          status: "failed",
          detail: "No server announced a ledger for 130 s: s1."
        })
      ],
      stages: [stage({ stage: "ingest", network: "mainnet", because: "outside", oldestMs: 130_000 })]
    },
    ok: false,
    says: ["mainnet: No server announced a ledger for 130 s: s1."]
  },
  {
    what: "35, 36: a test network wakes nobody",
    facts: {
      networks: [network({ network: "testnet", status: "reset", detail: "The network was reset." })],
      stages: [stage({ stage: "ingest", network: "testnet", oldestMs: 130_000, waiting: 40 })]
    },
    ok: true,
    says: [/^The service is well\./, "testnet: The network was reset."]
  },
  {
    what: "37: one server lies",
    facts: {
      networks: [network({ network: "mainnet", status: "degraded", detail: "At the head. Left out: s2." })]
    },
    ok: true,
    says: [/^The service is well\./, "mainnet: At the head. Left out: s2."]
  },
  {
    what: "40: the load is gone, and slow webhooks are left",
    facts: {
      stages: [
        stage({ stage: "deliver" }),
        stage({ stage: "deliver", because: "webhook", oldestMs: 70 * MINUTE, waiting: 7_000 })
      ]
    },
    ok: true,
    says: [/^The service is well\./]
  },
  {
    what: "41: the disk is nearly full",
    facts: { processes: [seenProcess({ parts: { disk: failed("0.3 GB are free at DATA_DIR") } })] },
    ok: false,
    says: ["host a, pid 1: 0.3 GB are free at DATA_DIR. Free space at DATA_DIR, or the service will stop."]
  },
  {
    what: "retention has not worked for hours",
    facts: { stages: [stage({ stage: "upkeep", oldestMs: 150 * MINUTE, waiting: 1 })] },
    ok: true,
    says: [/^The service is well\./, "Old data are not deleted in time, oldest 2 h 30 min."]
  },
  {
    what: "another session locks a table in PostgreSQL; what is late because of that is no second finding",
    facts: {
      outside: [
        locksPart({ statements: 17, waitedMs: 98_000, pid: 6863, name: "psql", state: "idle in transaction" })
      ],
      stages: [stage({ stage: "deliver", oldestMs: 98_000, waiting: 10_634 })]
    },
    ok: false,
    says: [
      "17 statements wait for a lock in PostgreSQL, the first for 1 min 38 s. Session 6863 (psql, idle in transaction) holds it. If it is not needed, end it: SELECT pg_terminate_backend(6863)."
    ]
  },
  {
    what: "41: the schema registry was emptied",
    facts: { outside: [registryPart([...Array<boolean>(12).fill(false)])] },
    ok: true,
    says: [/^The service is well\./, /^The schema registry does not have 12 of 12 schemas: readers/]
  },
  {
    what: "the mail server refuses mails; that messages are late is no second finding",
    facts: {
      outside: [mailPart({ rejected: 3, rejectedMs: 600_000, error: "550 no" })],
      stages: [stage({ stage: "notices", oldestMs: 400_000, waiting: 3 })]
    },
    ok: true,
    says: [
      /^The service is well\./,
      /^The mail server does not take 3 mails, the oldest for 10 min 0 s: 550 no\./
    ]
  },
  {
    what: "42: one process cannot open a secret",
    facts: {
      processes: six((host) => ({
        parts: { keys: host === "b" ? failed("3 webhooks cannot be signed") : ok }
      }))
    },
    ok: false,
    says: [/^host b, pid 1: 3 webhooks cannot be signed\. Deliveries of these webhooks wait\./]
  },
  {
    what: "43: the clock of one machine is wrong",
    facts: {
      processes: six((host) => ({
        parts: { clock: host === "b" ? failed("its clock is 100 s behind the database's") : ok }
      }))
    },
    ok: true,
    says: [
      /^The service is well\./,
      "host b, pid 1: its clock is 100 s behind the database's. Set the clock of that machine."
    ]
  },
  {
    what: "44: a frozen process whose work others have taken over",
    facts: {
      processes: [seenProcess(), seenProcess({ host: "b", seenAgoMs: 60_000, parts: { log: failed("") } })]
    },
    ok: true,
    says: [
      /^The service is well\./,
      /^The process with api, .* \(host b, pid 1, version 0\.3\.0\) has said nothing for 1 min 0 s: .* Others have its roles\.$/
    ]
  },
  {
    what: "a killed process was started again",
    facts: { processes: [seenProcess(), seenProcess({ pid: 2, seenAgoMs: 60_000 })] },
    ok: true,
    says: [/^The service is well\./]
  },
  {
    what: "one process with several roles is gone: one cause, one finding",
    facts: {
      processes: [
        seenProcess({ roles: roles.filter((role) => role !== "route" && role !== "events") }),
        seenProcess({ host: "b", pid: 311, roles: ["events", "route"], seenAgoMs: 32_000 })
      ],
      stages: [stage({ stage: "route", network: "mainnet", oldestMs: 50_000, waiting: 563 })]
    },
    ok: false,
    says: [
      "No process has the roles events, route: the last one (host b, pid 311, version 0.3.0) has said nothing for 32 s: it was killed, is frozen, or does not reach PostgreSQL. Events of mainnet are routed late: 563 wait, oldest 50 s. Start a process with ROLES=events,route."
    ]
  },
  {
    what: "45: the role deliver crashes again and again",
    facts: {
      processes: [
        seenProcess({
          failing: ["deliver"],
          parts: { [rolePart("deliver")]: failed("failed, and is restarted: the message is too large") }
        })
      ]
    },
    ok: false,
    says: [
      "The role deliver fails in every process that has it (host a, pid 1, version 0.3.0): failed, and is restarted: the message is too large."
    ]
  },
  {
    what: "one process lost its way to receivers, and other processes deliver",
    facts: {
      processes: [
        seenProcess({ sent: { attempts: 640, delivered: 600, seconds: 20 } }),
        seenProcess({ host: "b", pid: 311, sent: { attempts: 300, delivered: 0, seconds: 1 } })
      ]
    },
    ok: true,
    says: [
      /^The service is well\./,
      "The process on host b, pid 311, version 0.3.0 delivered none of 300 attempts in the last minute, and others do. If its webhooks are not to blame, check the network of that machine."
    ]
  },
  {
    what: "the way of one process to receivers is slow",
    facts: {
      processes: [
        seenProcess({ sent: { attempts: 640, delivered: 600, seconds: 20 } }),
        seenProcess({ host: "b", pid: 311, sent: { attempts: 300, delivered: 300, seconds: 780 } })
      ]
    },
    ok: true,
    says: [
      /^The service is well\./,
      /^The process on host b, .* needs 2\.6 s for an attempt, and others 0\.03 s\. If its webhooks/
    ]
  },
  {
    what: "two processes that deliver, each with its own webhooks",
    facts: {
      processes: [
        seenProcess({ sent: { attempts: 19, delivered: 0, seconds: 60 } }),
        seenProcess({ host: "b", sent: { attempts: 300, delivered: 290, seconds: 60 } }),
        seenProcess({ host: "c", sent: { attempts: 0, delivered: 0, seconds: 0 } })
      ]
    },
    ok: true,
    says: [/^The service is well\./]
  },
  {
    what: "28: no process runs",
    facts: { processes: [seenProcess({ stopped: true })] },
    ok: false,
    says: ["The service does not run: no process says so."]
  }
]
