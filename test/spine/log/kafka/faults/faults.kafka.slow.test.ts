/**
 * The scripts beside this file print what src/spine/log/kafka/README.md says. When a new version of the library prints
 * something else, a fault is fixed: remove its workaround.
 */
import { execFile } from "node:child_process"
import { readFileSync } from "node:fs"
import { promisify } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import { missing } from "../../../../kafka/broker.ts"
import { kafkaBrokers } from "../../../../support/log/kafka.ts"

const shown = [
  ...readFileSync("src/spine/log/kafka/README.md", "utf8").matchAll(/^\$ npx node (\S+)\n([^`]+)^```/gm)
].map(([, script, output]) => ({ script: script!, output: output! }))

// One script starts its own broker.
describe.skipIf(missing() !== undefined || kafkaBrokers().length === 0)("faults of Kafka's client", () => {
  it("are four", () => assert.strictEqual(shown.length, 4))

  it.for(shown)("$script prints what the README shows", { timeout: 240_000 }, async ({ script, output }) => {
    const { stdout } = await promisify(execFile)(process.execPath, [script], {
      env: { ...process.env, KAFKA_BROKERS: kafkaBrokers().join(",") }
    })
    assert.strictEqual(stdout, output)
  })
})
