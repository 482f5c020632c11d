/** The Python receiver package's own tests, run from its source, and its types, which come from the schemas. */
import { spawnSync } from "node:child_process"
import { globSync, readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { requestFormats } from "../../src/spine/event/RequestFormat.ts"
import { differences, generatedFolders } from "../../tools/schemas/SchemaFiles.ts"
import { batchEvents, batchOf, SECRET } from "../receiver-js/support.ts"
import { codeBlocks, commentsOf } from "../support/tree/markdown.ts"
import { hasPython } from "./support.ts"

const PACKAGE = "packages/receiver-python"
const environment = { ...process.env, PYTHONPATH: `${PACKAGE}/src`, PYTHONDONTWRITEBYTECODE: "1" }
const files = globSync(`${PACKAGE}/{src,tests}/**/*.py`)

/** Receives a batch twice, and fails the second event at first. Prints the answers and what was handled. */
const batchProgram = `
import json, logging, sys
from ledgerhook_receiver import Receiver

logging.disable(logging.CRITICAL)
given = json.load(sys.stdin)
handled, failing = [], {"dlv_1"}

def on_event(event, delivery_id):
    if delivery_id in failing:
        failing.remove(delivery_id)
        raise RuntimeError("not now")
    handled.append([delivery_id, event])

receiver = Receiver(secrets=[given["secret"]], schemes=["standard"], on_event=on_event)
body = bytes.fromhex(given["body"])
answers = [receiver.receive(given["headers"], body) for _ in range(2)]
print(json.dumps({"answers": [[status, json.loads(text)] for status, text in answers], "handled": handled}))
`

describe("packages/receiver-python", () => {
  it.skipIf(!hasPython)(`verifies, parses and answers${hasPython ? "" : " (no Python 3.9 here)"}`, () => {
    const { status, stderr } = spawnSync("python3", ["-m", "unittest", "discover", `${PACKAGE}/tests`], {
      encoding: "utf8",
      env: environment
    })
    assert.strictEqual(status, 0, stderr)
    assert.match(stderr, /Ran \d\d tests/)
  })

  it.skipIf(!hasPython).each(requestFormats)("takes a batch of the service as %s, in order", (format) => {
    const { body, headers } = batchOf({ format, compression: "gzip" })
    const { stderr, stdout } = spawnSync("python3", ["-c", batchProgram], {
      encoding: "utf8",
      env: environment,
      input: JSON.stringify({ secret: SECRET, headers, body: body.toString("hex") })
    })
    assert.strictEqual(stderr, "")
    const [first, second, third] = batchEvents
    assert.deepStrictEqual(JSON.parse(stdout), {
      answers: [
        [207, { failed: ["dlv_1"] }],
        [200, { received: 3 }]
      ],
      handled: [
        ["dlv_0", first],
        ["dlv_2", third],
        ["dlv_1", second]
      ]
    })
  })

  it.skipIf(!hasPython)("prints what the example of the README says", () => {
    const example = codeBlocks(`${PACKAGE}/README.md`, "python").find((block) => block.includes("gaps("))!
    const { stderr, stdout } = spawnSync("python3", ["-"], {
      encoding: "utf8",
      env: environment,
      input: example
    })
    assert.strictEqual(stderr, "")
    assert.strictEqual(stdout, commentsOf(example, "# "))
  })

  it("has types that are generated from the schemas (npm run schemas writes them)", () => {
    const generated = generatedFolders().filter(([folder]) => folder.startsWith(`${PACKAGE}/`))
    assert.lengthOf(generated, 1)
    for (const [folder, made] of generated) {
      const there = new Map([...made.keys()].map((path) => [path, readFileSync(`${folder}/${path}`, "utf8")]))
      assert.deepStrictEqual(differences(made, there), [])
    }
  })

  it("has short files that begin with what they are for, and no dependency", () => {
    assert.isNotEmpty(files)
    for (const file of files.filter((one) => !one.includes("/generated/"))) {
      const lines = readFileSync(file, "utf8").split("\n")
      assert.match(lines[0]!, /^"""/, file)
      assert.isAtMost(lines.length, 400, file)
      assert.isAtMost(Math.max(...lines.map(({ length }) => length)), 120, file)
    }
    assert.notMatch(readFileSync(`${PACKAGE}/pyproject.toml`, "utf8"), /^(?:optional-)?dependencies/m)
  })
})
