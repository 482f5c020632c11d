/** Checks the CronJob of the Helm chart that exports events: with the program, with Helm and with Kubernetes' schemas. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { parseYaml } from "@redocly/openapi-core"
import { Effect } from "effect"
import { ExitCode } from "../src/terminal/Failure.ts"
import { runCommand } from "./support/program/command.ts"
import { CHART } from "./support/tree/chart.ts"
import {
  type Container,
  examples,
  hasHelm,
  helm,
  KUBERNETES,
  kubeconform,
  template
} from "./support/tree/helm.ts"

const NAME = "ledgerhook/templates/export.yaml"
const given = {
  enabled: true,
  out: "s3://warehouse/xrpl",
  env: [{ name: "AWS_REGION", value: "eu-central-1" }]
}

interface CronJob {
  readonly spec: {
    readonly concurrencyPolicy: string
    readonly jobTemplate: {
      readonly spec: {
        readonly template: {
          readonly spec: { readonly restartPolicy: string; readonly containers: readonly [Container] }
        }
      }
    }
  }
}

const rendered = (values: object) => {
  const { status, stdout, text } = template(CHART, { ...values })
  if (status !== 0) throw new Error(text)
  return stdout.split(/^---$/m).find((document) => document.includes(`# Source: ${NAME}`))
}

describe.skipIf(!hasHelm)("the CronJob of ops/helm, with helm and kubeconform (.ci/helm builds them)", () => {
  const values = { ...examples["five-groups.yaml"], export: given }

  it("is not there unless it is switched on", () => {
    assert.isUndefined(rendered({}))
    assert.isUndefined(rendered({ ...examples["five-groups.yaml"] }))
  })

  it("is known to each version of Kubernetes, and passes Helm's own check", () => {
    const folder = mkdtempSync(join(tmpdir(), "ledgerhook-chart-"))
    const file = join(folder, "export.yaml")
    writeFileSync(file, rendered(values)!)
    for (const version of KUBERNETES) {
      const { status, text } = kubeconform(version, file)
      assert.strictEqual(status, 0, text)
    }
    rmSync(folder, { recursive: true })
    const { status, text } = helm(["lint", "--strict", CHART], values)
    assert.strictEqual(status, 0, text)
  })

  it.live("runs a command that the program accepts, one at a time, with the settings of the other pods", () =>
    Effect.gen(function* () {
      const { spec } = parseYaml(rendered(values)!) as CronJob
      assert.strictEqual(spec.concurrencyPolicy, "Forbid")
      const pod = spec.jobTemplate.spec.template.spec
      assert.strictEqual(pod.restartPolicy, "Never")
      const [{ args, env, securityContext }] = pod.containers
      assert.deepInclude(env, { name: "AWS_REGION", value: "eu-central-1" })
      assert.includeMembers(
        env.map(({ name }) => name),
        ["DATABASE_URL", "KAFKA_BROKERS"]
      )
      assert.isTrue(securityContext["readOnlyRootFilesystem"])
      // The flags are right: it only lacks a database.
      const { code, stderr } = yield* runCommand(args!, { environment: { DATA_DIR: "/nowhere" } })
      assert.strictEqual(code, ExitCode.failed)
      assert.match(stderr, /^ledgerhook: DATA_DIR: there is no database/)
    })
  )

  it("refuses values that cannot work", () => {
    const refused: ReadonlyArray<readonly [object, RegExp]> = [
      [{ ...values, export: { enabled: true } }, /export\.out: is required/],
      [{ export: given }, /secrets\.DATABASE_URL: is required with export\.enabled=true/],
      [{ ...values, export: { ...given, out: "/lake" } }, /out/],
      [{ ...values, export: { ...given, per: "week" } }, /per/]
    ]
    for (const [wrong, said] of refused) {
      const { status, text } = template(CHART, { ...wrong })
      assert.notStrictEqual(status, 0)
      assert.match(text, said)
    }
  })
})
