/** The documents say what the program does: tables made from it are compared, figures and links are checked. */
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseEnv } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import { settingsOfFeatures, settingsTable } from "../src/app/Settings.ts"
import { statusOf } from "../src/http/Errors.ts"
import { type Environment, loadSettings } from "../src/spine/config/Config.ts"
import { signature } from "../src/spine/deliver/send/Signer.ts"
import { triggers } from "../src/spine/deliveries/RecordAttempts.ts"
import { scopes } from "../src/spine/domain/ApiKey.ts"
import { planLimits } from "../src/spine/domain/Plans.ts"
import { RULES_VERSION } from "../src/spine/event/LedgerEvent.ts"
import { cloudEventHeaders, requestBody } from "../src/spine/event/RequestFormat.ts"
import { sequenceOf } from "../src/spine/event/Sequence.ts"
import { complaints, ENVELOPE, payloadPath } from "./schemas/support.ts"
import {
  accessMarkdown,
  alertsMarkdown,
  endpointsMarkdown,
  envExample,
  made,
  metricsMarkdown,
  topicsMarkdown
} from "./support/tree/documents.ts"
import { anchors, brokenLinks, codeBlocks, documents } from "./support/tree/markdown.ts"
import { vectorsMarkdown } from "./support/tree/vectors.ts"

const loads = (environment: Environment) => "port" in loadSettings(environment, settingsOfFeatures)

/** The README is for the first ten minutes; the rest has a place in docs. */
const README_BYTES = 10_240

/** What a contributor reads first, in this order: the way of an event, how a feature looks, and the habits. */
const readFirst = ["docs/architecture.md", "src/features/README.md", "CONTRIBUTING.md"] as const
const ARCHITECTURE_BYTES = 10_240
const READ_FIRST_BYTES = 25_600
/** Files that the example of a feature adds, or that stand for those of any. */
const added = /\/features\/(notes|X)\b/

describe("README.md", () => {
  it("stays short", () => {
    assert.isAtMost(statSync("README.md").size, README_BYTES)
  })
})

describe("docs/settings.md", () => {
  it("names only settings of the program", () => {
    const named = Array.from(readFileSync("docs/settings.md", "utf8").matchAll(/`([A-Z]+(?:_[A-Z]+)*)`/g))
    const known: ReadonlyArray<string> = settingsTable.map(({ name }) => name)
    assert.deepStrictEqual(
      named.map(([, name]) => name!).filter((name) => !known.includes(name)),
      []
    )
  })
})

describe("docs/operations.md", () => {
  it("has the metrics of the program", () => {
    const { is, shouldBe } = made("docs/operations.md", metricsMarkdown(), "metrics")
    assert.strictEqual(is, shouldBe)
  })
})

describe("docs/access.md", () => {
  it("has the rights that the roles need on Kafka", () => {
    const { is, shouldBe } = made("docs/access.md", accessMarkdown(), "access")
    assert.strictEqual(is, shouldBe)
  })
})

describe("docs/detection-rules.md", () => {
  it("has the codes of alerts", () => {
    const { is, shouldBe } = made("docs/detection-rules.md", alertsMarkdown(), "alerts")
    assert.strictEqual(is, shouldBe)
  })

  it("is of the version that the program follows", () => {
    assert.include(
      readFileSync("docs/detection-rules.md", "utf8"),
      `This is version ${RULES_VERSION} of the rules.`
    )
  })

  it("lists the conformance vectors by transaction type", () => {
    const { is, shouldBe } = made("docs/detection-rules.md", vectorsMarkdown(), "vectors")
    assert.strictEqual(is, shouldBe)
  })
})

describe("docs/glossary.md", () => {
  it("has at most 45 terms, 15 of them the project's own, each once", () => {
    const rows = readFileSync("docs/glossary.md", "utf8").matchAll(/^\| \*\*(.+?)\*\*(\*?) \|/gm)
    const terms = Array.from(rows, ([, term, own]) => ({ term: term!, own: own === "*" }))
    assert.isNotEmpty(terms)
    assert.isAtMost(terms.length, 45)
    assert.isAtMost(terms.filter(({ own }) => own).length, 15)
    assert.strictEqual(new Set(terms.map(({ term }) => term)).size, terms.length)
  })
})

describe("docs/api.md", () => {
  it("has every operation of the API", () => {
    const { is, shouldBe } = made("docs/api.md", endpointsMarkdown(), "endpoints")
    assert.strictEqual(is, shouldBe)
  })

  it("has every scope, and no other", () => {
    const rows = readFileSync("docs/api.md", "utf8").matchAll(/^\| `([a-z_]+:[a-z]+|admin)` \|/gm)
    assert.deepStrictEqual(
      Array.from(rows, ([, scope]) => scope!),
      [...scopes]
    )
  })

  it("has every error code with its status, and no other", () => {
    const rows = readFileSync("docs/api.md", "utf8").matchAll(/^\| (\d{3}) \| (`[A-Z_`, ]+) \|/gm)
    const told = Array.from(rows, ([, status, codes]) =>
      codes!.match(/[A-Z_]+/g)!.map((code) => [code, Number(status)])
    )
    assert.deepStrictEqual(Object.fromEntries(told.flat()), statusOf)
  })

  it("has the limits of every plan", () => {
    const rows = readFileSync("docs/api.md", "utf8").matchAll(/^\| ([A-Z][a-z]+) \| ([\d,]+ \|.*) \|$/gm)
    const told = Array.from(rows, ([, plan, cells]) => [
      plan!.toLowerCase(),
      cells!.split(" | ").map((cell) => (cell === "no quota" ? null : Number(cell.replaceAll(",", ""))))
    ])
    const limits = Object.entries(planLimits).map(([plan, its]) => [plan, Object.values(its)])
    assert.deepStrictEqual(told, limits)
  })
})

describe("docs/receiving.md", () => {
  it("shows a request whose signature is that of its body", () => {
    const [request = ""] = codeBlocks("docs/receiving.md", "http")
    const [head = "", body = ""] = request.trimEnd().split("\n\n")
    const secret = /is signed with the secret `(\S+)`/.exec(readFileSync("docs/receiving.md", "utf8"))?.[1]
    assert.include(head, `\nX-Service-Signature: ${signature(secret ?? "", body)}\n`)
    const event = JSON.parse(body)
    assert.include(head, `\nX-Service-Sequence: ${sequenceOf({ ...event, position: 41 })}\n`)
    assert.deepStrictEqual(complaints(ENVELOPE, event), [])
  })

  it("shows a payload with memos and balance changes", () => {
    const payload = codeBlocks("docs/receiving.md", "json").find((text) => text.includes("balance_changes"))
    assert.deepStrictEqual(complaints(payloadPath("payment.xrp"), JSON.parse(payload!)), [])
  })

  it("shows the same event as the CloudEvent that the service sends", () => {
    const [envelope = "", cloudEvent = ""] = codeBlocks("docs/receiving.md", "http").map((request) =>
      request.trimEnd()
    )
    const [head = "", body = ""] = cloudEvent.split("\n\n")
    const { webhook_id, ...event } = JSON.parse(envelope.split("\n\n")[1]!)
    assert.strictEqual(requestBody("cloudevents", event, webhook_id), body)
    const attributes = head.split("\n").filter((line) => line.startsWith("ce-"))
    const sent = Object.entries(cloudEventHeaders({ ...event, position: 41 }, webhook_id))
    assert.deepStrictEqual(
      attributes,
      sent.map(([name, value]) => `${name}: ${value}`)
    )
  })
})

describe("docs/deposits.md", () => {
  it("shows the SQL of the example", () => {
    const [booking = ""] = codeBlocks("docs/deposits.md", "sql")
    assert.include(readFileSync("examples/deposits/schema.sql", "utf8"), booking)
  })
})

describe("every document", () => {
  for (const file of documents) {
    it(`links only to files and headings that are there (${file})`, () => {
      assert.deepStrictEqual(brokenLinks(file), [])
    })

    it(`names only npm scripts that exist (${file})`, () => {
      const { scripts } = JSON.parse(readFileSync("package.json", "utf8"))
      const named = Array.from(
        readFileSync(file, "utf8").matchAll(/npm run (?:--silent )?([a-z:-]+)/g),
        (m) => m[1]!
      )
      assert.deepStrictEqual(
        named.filter((name) => scripts[name] === undefined),
        []
      )
    })
  }

  it("is checked: what is broken is found", () => {
    assert.includeMembers([...documents], ["README.md", "CONTRIBUTING.md", "docs/decisions/README.md"])
    assert.include([...anchors("docs/runbook.md")], "after-kill--9")
    const folder = mkdtempSync(join(tmpdir(), "ledgerhook-links-"))
    const page = join(folder, "page.md")
    writeFileSync(
      page,
      "# A page\n[a](no.md) [b](#no) [c](#a-page) [d](page.md#a-page) [e](https://x.example/y)\n`[f](no)`\n```\n[g](no)\n```\n"
    )
    const broken = brokenLinks(page)
    rmSync(folder, { recursive: true })
    assert.deepStrictEqual(broken, ["no.md", "#no"])
  })
})

describe("what a contributor reads first", () => {
  it("stays short", () => {
    const bytes = readFirst.map((file) => statSync(file).size)
    assert.isAtMost(bytes[0]!, ARCHITECTURE_BYTES)
    assert.isAtMost(
      bytes.reduce((sum, size) => sum + size, 0),
      READ_FIRST_BYTES
    )
  })

  for (const file of [...readFirst, "docs/stages.md", "src/README.md", "src/spine/deliver/README.md"])
    it(`names only files and folders that exist (${file})`, () => {
      const text = readFileSync(file, "utf8")
      const named = Array.from(
        text.matchAll(/`((?:src|test|bench|docs|tools|schemas|ops|dashboard|\.ci)\/[^`\s…]*)`/g),
        ([, path]) => path!
      )
      assert.deepStrictEqual(
        named.filter((path) => !existsSync(path) && !added.test(path)),
        []
      )
    })

  it("names every trigger that recording an attempt may run", () => {
    const text = readFileSync("docs/architecture.md", "utf8")
    const run = Object.entries(triggers.deliveries).filter(([, written]) => written !== null)
    const names = [...run.map(([name]) => name), ...Object.keys(triggers.webhooks)]
    assert.deepStrictEqual(
      names.filter((name) => !text.includes(`\`${name}\``)),
      []
    )
  })
})

describe("topics/README.md", () => {
  it("has the topics of the program", () => {
    const { is, shouldBe } = made("topics/README.md", topicsMarkdown(), "topics")
    assert.strictEqual(is, shouldBe)
  })
})

describe(".env.example", () => {
  it("is made from the settings", () => {
    const { is, shouldBe } = made(".env.example", envExample())
    assert.strictEqual(is, shouldBe)
  })

  it("is accepted as it is, and with every line uncommented", () => {
    const text = readFileSync(".env.example", "utf8")
    assert.isTrue(loads(parseEnv(text)))
    assert.isTrue(loads(parseEnv(text.replace(/^#(?=[A-Z])/gm, ""))))
  })
})
