/** What `doctor` says of how soon others take over from a dead process. */
import { assert, describe, it } from "@effect/vitest"
import { memberTimeoutFinding } from "../../../../src/features/operate/doctor/KafkaCheck.ts"

describe("the timeout of the groups of a cluster", () => {
  it("is fine if the next start shortens it", () => {
    const { status, detail } = memberTimeoutFinding({ kind: "settable", ms: 30_000 })
    assert.strictEqual(status, "ok")
    assert.match(detail, /after 30 s; the next start reduces that to 10 s/)
  })

  it("is a warning if the cluster refuses a shorter one, with the reason and what to do", () => {
    const reason = "less than group.consumer.min.session.timeout.ms"
    const { status, detail, fix } = memberTimeoutFinding({ kind: "rejected", ms: 45_000, reason })
    assert.strictEqual(status, "warning")
    assert.match(detail, /only after 45 s.*group\.consumer\.min\.session\.timeout\.ms/)
    assert.match(fix, /group\.consumer\.min\.session\.timeout\.ms of the brokers to 10000/)
  })
})
