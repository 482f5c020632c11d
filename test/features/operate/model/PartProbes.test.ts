/** When a part of a process counts as failed or degraded. */

import { assert, describe, it } from "@effect/vitest"
import { operateLimits } from "../../../../src/features/operate/Limits.ts"
import {
  afterProbe,
  clockPart,
  databasePart,
  diskPart,
  mailPart,
  registryPart
} from "../../../../src/features/operate/model/PartProbes.ts"
import { Limits } from "../../../../src/spine/config/Limits.ts"

const ok = { status: "ok", detail: "answers" } as const
const failed = { status: "failed", detail: "ETIMEDOUT" } as const

describe("a part", () => {
  it("has failed after two failed probes in a row, and works after the next good one", () => {
    const well = afterProbe(undefined, ok)
    const once = afterProbe(well, failed)
    assert.strictEqual(once.status, "ok")
    const twice = afterProbe(once, failed)
    assert.deepStrictEqual([twice.status, twice.detail], ["failed", "ETIMEDOUT"])
    assert.strictEqual(afterProbe(twice, ok).status, "ok")
    assert.strictEqual(afterProbe(afterProbe(once, ok), failed).status, "ok")
    assert.strictEqual(afterProbe(undefined, failed).status, "starting")
  })

  it("database is degraded once it has been slow for a minute", () => {
    assert.strictEqual(databasePart(2_100, Limits.troubleMs - 1).status, "ok")
    assert.deepStrictEqual(databasePart(2_100, Limits.troubleMs), {
      status: "degraded",
      detail: "takes 2.1 s for a small statement"
    })
  })

  it("clock has failed if it differs by more than the answer may have taken", () => {
    assert.strictEqual(clockPart(2_900, 1_000).status, "ok")
    assert.strictEqual(clockPart(-100_000, 5).detail, "its clock is 100 s behind the database's")
    assert.strictEqual(clockPart(100_000, 5).detail, "its clock is 100 s ahead of the database's")
  })

  it("disk is degraded, then has failed, as it fills", () => {
    assert.deepStrictEqual(
      [6e9, 4e9, 3e8].map((free) => diskPart(free).status),
      ["ok", "degraded", "failed"]
    )
  })

  it("registry and mail say what is missing or refused", () => {
    assert.strictEqual(registryPart([true, true]).state, "ok")
    assert.match(registryPart([true, false]).sentence, /does not have 1 of 2 schemas/)
    assert.match(registryPart("HTTP 502").sentence, /does not answer: HTTP 502/)
    assert.strictEqual(
      mailPart({ rejected: 1, rejectedMs: operateLimits.laterMs.notices, error: "x" }).state,
      "ok"
    )
    assert.strictEqual(
      mailPart({ rejected: 1, rejectedMs: operateLimits.laterMs.notices + 1, error: "x" }).state,
      "failed"
    )
  })
})
