/** What the service says of its roles, situation by situation. */
import { assert, describe, it } from "@effect/vitest"
import { roles } from "../../src/config/Definitions.ts"
import { missingSentence, roleStates, someRuns } from "../../src/health/Roles.ts"
import type { SeenProcess } from "../../src/health/SeenProcess.ts"
import { seenProcess } from "./seenProcess.ts"

const process = seenProcess
const others = (missing: string) => process({ roles: roles.filter((role) => role !== missing) })
const delayed = process({ host: "b", pid: 311, roles: ["delay"], seenAgoMs: 259_000 })

const situations: ReadonlyArray<{
  readonly what: string
  readonly processes: ReadonlyArray<SeenProcess>
  readonly without?: ReadonlyArray<(typeof roles)[number]>
  /** The sentences of the roles that are missing. */
  readonly says: ReadonlyArray<string>
}> = [
  { what: "one process has all roles", processes: [process()], says: [] },
  {
    what: "the only process of a role was stopped in order",
    processes: [others("delay"), { ...delayed, stopped: true }],
    says: [
      "No process has the role delay: the last one (host b, pid 311, version 0.3.0) stopped in order 4 min 19 s ago."
    ]
  },
  {
    what: "the only process of a role was killed or is frozen",
    processes: [others("delay"), { ...delayed, seenAgoMs: 11_000 }],
    says: [
      "No process has the role delay: the last one (host b, pid 311, version 0.3.0) has said nothing for 11 s: it was killed, is frozen, or does not reach PostgreSQL."
    ]
  },
  {
    what: "another process has taken over from a silent one",
    processes: [process(), { ...delayed, seenAgoMs: 60_000 }],
    says: []
  },
  {
    what: "nobody has started a role",
    processes: [others("deliver")],
    says: ["No process has the role deliver: none has had it within the last day."]
  },
  {
    what: "a stage fails in every process that has it",
    processes: [others("route"), process({ host: "c", roles: ["route"], failing: ["route"] })],
    says: [
      "The role route fails in every process that has it (host c, pid 1, version 0.3.0): their logs say why."
    ]
  },
  {
    what: "a stage fails in one of two processes",
    processes: [process(), process({ failing: ["route"] })],
    says: []
  },
  { what: "a role is left out on purpose", processes: [others("replay")], without: ["replay"], says: [] }
]

describe("the roles, when", () => {
  it.each(situations)("$what", ({ processes, says, without = [] }) => {
    const states = roleStates(processes, without)
    const missing = states.filter((state) => state.missing !== undefined)
    assert.deepStrictEqual(
      missing.map((state) => missingSentence([state])),
      says
    )
    for (const { alive, missing } of states) assert.strictEqual(alive === 0, missing !== undefined)
    assert.isTrue(someRuns(processes))
  })

  it("no role is missing while a process of an older version may have it", () => {
    const states = roleStates([others("delay")], [], true)
    assert.isTrue(states.every(({ missing }) => missing === undefined))
  })

  it("a stopped service misses no role", () => {
    assert.isFalse(someRuns([]))
    assert.isFalse(someRuns([process({ stopped: true }), process({ seenAgoMs: 10_001 })]))
  })
})
