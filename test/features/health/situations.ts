/**
 * Situations of a webhook, as tables: what happens at which second, and which state and sentence must be shown then.
 * Seconds count from the beginning. A step without a delivery's name is about the delivery before it.
 */
import type { HealthState } from "../../../src/spine/domain/HealthState.ts"
import type { Result } from "../../support/deliver/requests.ts"

export type Step =
  /** A request of these deliveries (a batch if there are several) ends with this result for each. */
  | {
      readonly at: number
      readonly sends: ReadonlyArray<string>
      readonly result: Result
      readonly error?: string
      readonly manual?: boolean
    }
  | {
      readonly at: number
      readonly does:
        | "disable"
        | "enable"
        | "delete"
        | "test fails"
        | "queue"
        | "suspend"
        | "resume"
        | "pause"
        | "send again"
    }

export interface Situation {
  readonly name: string
  readonly steps: ReadonlyArray<Step>
  readonly shows: ReadonlyArray<{
    readonly at: number
    readonly state: HealthState
    readonly sinceS?: number
    readonly sentence: RegExp
    readonly failed?: number
    /** Whether a next attempt is shown. */
    readonly isScheduled?: boolean
  }>
  /** Begin and end in seconds, and what ended it. */
  readonly incidents: ReadonlyArray<readonly [begins: number, ends: number | null, endedBy: string | null]>
}

const range = (n: number) => Array.from({ length: n }, (_, i) => i)
const times = (n: number, step: (i: number) => Step): ReadonlyArray<Step> => range(n).map(step)

export const situations: ReadonlyArray<Situation> = [
  {
    name: "nothing was sent yet",
    steps: [],
    shows: [{ at: 1, state: "new", sinceS: 0, sentence: /^No event was sent to it yet\.$/, failed: 0 }],
    incidents: []
  },
  {
    name: "a paused webhook is not failing, and a pause keeps its incident open",
    steps: [
      ...times(5, (i): Step => ({ at: 1 + i, sends: [`d${i}`], result: "retrying", error: "HTTP 503" })),
      { at: 10, does: "pause" },
      { at: 20, does: "queue" },
      { at: 100, does: "send again" },
      { at: 110, sends: ["d0"], result: "delivered" }
    ],
    shows: [
      { at: 6, state: "failing", sinceS: 1, sentence: /^Failing since/, failed: 5 },
      {
        at: 60,
        state: "paused",
        sinceS: 10,
        sentence: /^Paused since .* UTC: events are queued, and none is sent; 6 deliveries wait\.$/,
        failed: 5,
        isScheduled: false
      },
      { at: 101, state: "failing", sinceS: 1, sentence: /^Failing since/, failed: 5 }
    ],
    incidents: [[1, 110, "attempt"]]
  },
  {
    name: "3: a dead endpoint with 20 events a second fails in a second",
    steps: times(20, (i) => ({
      at: 1 + i / 20,
      sends: [`d${i}`],
      result: "retrying",
      error: "connection refused"
    })),
    shows: [
      {
        at: 1.15,
        state: "waiting",
        sentence: /^4 deliveries wait since .* for a retry: connection refused\.$/,
        failed: 4
      },
      {
        at: 2,
        state: "failing",
        sinceS: 1,
        sentence:
          /^Failing since .* UTC: connection refused\. 20 attempts of 20 deliveries failed, 20 deliveries wait\.$/,
        failed: 20
      }
    ],
    incidents: [[1, null, null]]
  },
  {
    name: "4: a dead endpoint with one event a day fails after its retries",
    steps: [1, 2, 7, 37, 157].map((at) => ({ at, sends: ["d"], result: "retrying" })),
    shows: [
      {
        at: 40,
        state: "waiting",
        sentence: /^1 delivery waits since .* for a retry: HTTP 503\.$/,
        failed: 4
      },
      {
        at: 158,
        state: "failing",
        sinceS: 1,
        sentence: /5 attempts of 1 delivery failed, 1 delivery waits\.$/,
        failed: 5
      }
    ],
    incidents: [[1, null, null]]
  },
  {
    name: "5: an endpoint restarts and is away for 5 seconds",
    steps: [
      { at: 1, sends: ["first"], result: "delivered" },
      ...times(10, (i): Step => ({ at: 2 + i / 2, sends: [`d${i}`], result: "retrying" })),
      ...times(10, (i): Step => ({ at: 7 + i / 10, sends: [`d${i}`], result: "delivered" }))
    ],
    shows: [
      { at: 5, state: "failing", sinceS: 2, sentence: /^Failing since/ },
      {
        at: 9,
        state: "healthy",
        sinceS: 7,
        sentence: /^Works since .*, after failing for 5 seconds\. No delivery waits\.$/,
        failed: 0
      }
    ],
    incidents: [[2, 7, "attempt"]]
  },
  {
    name: "9: a customer disables a webhook",
    steps: [
      { at: 1, sends: ["d"], result: "delivered" },
      { at: 2, does: "disable" }
    ],
    shows: [
      {
        at: 3,
        state: "disabled",
        sinceS: 2,
        sentence: /^Disabled since .*: disabled by request\. No events are queued for it\.$/
      }
    ],
    incidents: []
  },
  {
    name: "10: final failures disable a webhook, which ends the incident; enabling begins without failures",
    steps: [
      ...times(6, (i): Step => ({ at: 1 + i, sends: [`d${i}`], result: "failed" })),
      { at: 8, does: "disable" },
      { at: 400, does: "enable" }
    ],
    shows: [
      { at: 7.5, state: "failing", sinceS: 1, sentence: /6 attempts of 6 deliveries failed\.$/ },
      { at: 9, state: "disabled", sinceS: 8, sentence: /^Disabled since/ },
      { at: 401, state: "healthy", sinceS: 8, sentence: /^Works since/, failed: 0 }
    ],
    incidents: [[1, 8, "disabled"]]
  },
  {
    name: "a failing webhook is deleted",
    steps: [
      ...times(5, (i): Step => ({ at: 1 + i, sends: [`d${i}`], result: "failed" })),
      { at: 8, does: "delete" }
    ],
    shows: [],
    incidents: [[1, 8, "deleted"]]
  },
  {
    name: "12: the receiver says for ever that it is gone",
    steps: times(6, (i) => ({ at: 1 + i, sends: [`d${i}`], result: "retrying", error: "HTTP 410" })),
    shows: [
      {
        at: 8,
        state: "failing",
        sinceS: 1,
        sentence: /: the receiver says that it is gone \(HTTP 410\)\. 6 attempts/
      }
    ],
    incidents: [[1, null, null]]
  },
  {
    name: "13: one delivery fails among many that are answered",
    steps: [1, 2, 7, 37, 157].flatMap(
      (at, i): ReadonlyArray<Step> => [
        { at, sends: ["poison"], result: "retrying", error: "HTTP 400" },
        { at: at + 0.1, sends: [`good${i}`], result: "delivered" }
      ]
    ),
    shows: [
      {
        at: 158,
        state: "waiting",
        sentence: /^1 delivery waits since .* for a retry: HTTP 400\.$/,
        failed: 0
      }
    ],
    incidents: []
  },
  {
    name: "14: one delivery fails on a quiet webhook, until the next is answered",
    steps: [
      ...[1, 2, 7, 37, 157].map(
        (at): Step => ({ at, sends: ["poison"], result: "retrying", error: "HTTP 400" })
      ),
      { at: 600, sends: ["good"], result: "delivered" }
    ],
    shows: [
      { at: 160, state: "failing", sinceS: 1, sentence: /: HTTP 400\. 5 attempts of 1 delivery failed/ },
      { at: 601, state: "waiting", sentence: /^1 delivery waits/ }
    ],
    incidents: [[1, 600, "attempt"]]
  },
  {
    name: "15: an endpoint that answers one request in six has one incident",
    steps: times(60, (i) => ({
      at: 1 + i,
      sends: [`d${i}`],
      result: i % 6 === 5 ? "delivered" : "retrying"
    })),
    shows: [
      { at: 5.5, state: "failing", sinceS: 1, sentence: /^Failing/ },
      { at: 6.5, state: "waiting", sentence: /deliveries wait/ },
      { at: 59.5, state: "failing", sinceS: 55, sentence: /^Failing/ }
    ],
    incidents: [[1, 60, "attempt"]]
  },
  {
    name: "two spans that are five minutes apart are two incidents",
    steps: [
      ...times(5, (i): Step => ({ at: 1 + i, sends: [`a${i}`], result: "failed" })),
      { at: 10, sends: ["b"], result: "delivered" },
      ...times(5, (i): Step => ({ at: 310 + i, sends: [`c${i}`], result: "failed" }))
    ],
    shows: [{ at: 320, state: "failing", sinceS: 310, sentence: /^Failing/ }],
    incidents: [
      [1, 10, "attempt"],
      [310, null, null]
    ]
  },
  {
    name: "16: a batch of 100 fails as one request",
    steps: [{ at: 1, sends: range(100).map((i) => `d${i}`), result: "retrying" }],
    shows: [
      {
        at: 2,
        state: "waiting",
        sentence: /^100 deliveries wait since .* for a retry: HTTP 503\.$/,
        failed: 1
      }
    ],
    incidents: []
  },
  {
    name: "a response that lists failed deliveries is an answer",
    steps: times(6, (i) => ({
      at: 1 + i,
      sends: [`a${i}`, `b${i}`],
      result: "listed",
      error: "listed as failed (HTTP 200)"
    })),
    shows: [{ at: 8, state: "waiting", sentence: /^12 deliveries wait .* listed as failed/, failed: 0 }],
    incidents: []
  },
  {
    name: "17: a test event fails on a webhook that got no event",
    steps: [{ at: 1, does: "test fails" }],
    shows: [{ at: 2, state: "new", sentence: /^No event was sent/, failed: 0 }],
    incidents: []
  },
  {
    name: "18: a retry by hand is answered after 68 minutes",
    steps: [
      ...times(5, (i): Step => ({ at: 1 + i, sends: [`d${i}`], result: "failed" })),
      { at: 4_081, sends: ["d4"], result: "delivered", manual: true }
    ],
    shows: [
      { at: 4_080, state: "failing", sinceS: 1, sentence: /^Failing/ },
      {
        at: 4_082,
        state: "healthy",
        sinceS: 4_081,
        sentence: /^Works since .*, after failing for 68 minutes\./
      }
    ],
    incidents: [[1, 4_081, "retry"]]
  },
  {
    name: "11: the account is suspended while a delivery waits for a retry",
    steps: [
      { at: 1, sends: ["d"], result: "retrying" },
      { at: 2, does: "suspend" },
      { at: 10, does: "resume" }
    ],
    shows: [
      { at: 1.5, state: "waiting", sentence: /for a retry: HTTP 503\.$/, isScheduled: true },
      {
        at: 5,
        state: "waiting",
        sentence: /^1 delivery waits since .*: the account is suspended\.$/,
        isScheduled: false
      },
      { at: 11, state: "waiting", sentence: /for a retry: HTTP 503\.$/, isScheduled: true }
    ],
    incidents: []
  },
  {
    name: "a delivery waits for its place",
    steps: [
      { at: 1, sends: ["d"], result: "delivered" },
      { at: 2, does: "queue" }
    ],
    shows: [
      { at: 6, state: "healthy", sinceS: 1, sentence: /^Works/ },
      {
        at: 8,
        state: "waiting",
        sinceS: 2,
        sentence: /^1 delivery waits since .* for the webhook's own speed or rate\.$/
      }
    ],
    incidents: []
  }
]
