/** When an account is notified of incidents, as a table of cases. */
import { assert, describe, it } from "@effect/vitest"
import { incidentsToReport } from "../../../src/features/health/DueNotices.ts"

const MINUTE = 60_000
const NOW = 1_000 * MINUTE

/** An incident that began so many minutes ago. `ended`: it was answered so many minutes ago, last or not. */
const incident = (began: number, failedDeliveries: number, ended?: number, answers = false) => ({
  beganAt: NOW - began * MINUTE,
  endedAt: ended === undefined ? null : NOW - ended * MINUTE,
  answers,
  failedDeliveries
})

const cases: ReadonlyArray<{
  readonly title: string
  readonly incidents: ReadonlyArray<ReturnType<typeof incident>>
  /** The places of those that are reported, and of those that are while most hosts fail. */
  readonly reported: ReadonlyArray<number>
  readonly held: ReadonlyArray<number>
}> = [
  {
    title: "two failed deliveries: not before 5 minutes",
    incidents: [incident(4.9, 2)],
    reported: [],
    held: []
  },
  { title: "two failed deliveries: after 5 minutes", incidents: [incident(5, 2)], reported: [0], held: [] },
  {
    title: "one failed delivery: not before 15 minutes",
    incidents: [incident(14.9, 1)],
    reported: [],
    held: []
  },
  { title: "one failed delivery: after 15 minutes", incidents: [incident(15, 1)], reported: [0], held: [] },
  { title: "an endpoint that restarted", incidents: [incident(4.9, 90, 4.8)], reported: [], held: [] },
  { title: "works again since a moment", incidents: [incident(60, 90, 0.1, true)], reported: [], held: [] },
  { title: "answers now and then", incidents: [incident(6, 90, 0.1)], reported: [0], held: [] },
  {
    title: "with one that is due, all that are open",
    incidents: [incident(5, 2), incident(1, 1), incident(4, 9, 3)],
    reported: [0, 1],
    held: []
  },
  { title: "none is due", incidents: [incident(4, 2), incident(14, 1)], reported: [], held: [] },
  {
    title: "held for less than an hour",
    incidents: [incident(64.9, 2), incident(74.9, 1)],
    reported: [0, 1],
    held: []
  },
  {
    title: "held for an hour",
    incidents: [incident(65, 2), incident(10, 2)],
    reported: [0, 1],
    held: [0, 1]
  },
  { title: "held for an hour, with one delivery", incidents: [incident(75, 1)], reported: [0], held: [0] }
]

describe("incidentsToReport", () => {
  for (const { held, incidents, reported, title } of cases)
    it(title, () => {
      const places = (mostHostsFail: boolean) =>
        incidentsToReport(incidents, NOW, mostHostsFail).map((one) => incidents.indexOf(one))
      assert.deepStrictEqual(places(false), reported)
      assert.deepStrictEqual(places(true), held)
    })
})
