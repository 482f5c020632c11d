/** What the values of the Helm chart change in what it installs, and which values it refuses. Needs `helm`. */

import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { parseYaml } from "@redocly/openapi-core"
import packageJson from "../package.json" with { type: "json" }
import { CHART } from "./support/tree/chart.ts"
import {
  containers,
  defaultGroups,
  examples,
  hasHelm,
  manifests,
  ofKind,
  pods,
  SCALED_OBJECT,
  template,
  type Values,
  variableOf
} from "./support/tree/helm.ts"

const ALERTS = "ops/prometheus/alerts.yml"
const secret = (key: string) => ({ name: "ledgerhook", key })
const several: Values = {
  processes: "several",
  settings: { KAFKA_BROKERS: "kafka:9092" },
  secrets: { DATABASE_URL: secret("uri"), SECRETS_KEY: secret("key") }
}
const monitored = examples["five-groups.yaml"]!

describe.skipIf(!hasHelm)("the values of ops/helm, with helm (.ci/helm builds it)", () => {
  it("runs all roles in one pod with a volume, which drains of nodes may move", () => {
    const all = manifests()
    const [set, ...others] = all.filter(({ spec }) => spec.template !== undefined)
    assert.isEmpty(others)
    assert.strictEqual(set!.kind, "StatefulSet")
    assert.strictEqual(set!.spec.replicas, 1)
    assert.lengthOf(set!.spec.volumeClaimTemplates!, 1)
    assert.isEmpty(ofKind(all, "PodDisruptionBudget"))
  })

  it("runs a Deployment for each group, of which a drain of nodes stops one pod at a time", () => {
    const all = manifests(several)
    const names = (kind: string) => ofKind(all, kind).map(({ metadata }) => metadata.name)
    const expected = defaultGroups.map(([name]) => `ledgerhook-${name}`)
    assert.sameMembers(names("Deployment"), expected)
    assert.sameMembers(names("PodDisruptionBudget"), expected)
    for (const { spec } of ofKind(all, "PodDisruptionBudget")) assert.strictEqual(spec.maxUnavailable, 1)
    assert.isEmpty(ofKind(all, "StatefulSet"))
  })

  it("lets a pod of the API serve on before it stops, and no other pod", () => {
    const seconds = (values: Values) =>
      containers(manifests(values)).flatMap(({ lifecycle }) => lifecycle?.preStop.sleep.seconds ?? [])
    assert.deepStrictEqual(seconds({}), [])
    assert.deepStrictEqual(seconds(several), [15])
    assert.deepStrictEqual(seconds(examples["two-pods.yaml"]!), [15])
    assert.deepStrictEqual(seconds({ ...several, drainSeconds: 300 }), [300])
    assert.deepStrictEqual(seconds({ ...several, drainSeconds: 0 }), [])
  })

  it("gives containers other variables, volumes and their places, and pods an account", () => {
    const all = manifests(examples["locked-down.yaml"])
    for (const { metadata, spec } of pods(all)) {
      const [container] = spec.containers
      assert.strictEqual(variableOf(container, "NODE_OPTIONS"), "--max-semi-space-size=16")
      const volumes = spec.volumes.map(({ name }) => name)
      assert.includeMembers(volumes, ["kafka-client", "postgres-client"])
      assert.includeMembers(
        volumes,
        container.volumeMounts.map(({ name }) => name)
      )
      assert.strictEqual(spec.serviceAccountName, ofKind(all, "ServiceAccount")[0]!.metadata.name)
      assert.strictEqual(metadata.labels["team"], "payments")
    }
    const [other] = pods(manifests({ serviceAccount: { create: false } }))
    assert.strictEqual(other!.spec.serviceAccountName, "default")
  })

  it("opens the API to its pods' clients, and health and metrics of all pods", () => {
    const policies = ofKind(manifests(examples["locked-down.yaml"]), "NetworkPolicy")
    assert.deepStrictEqual(
      policies.map(({ spec }) => [
        spec.podSelector!.matchLabels["app.kubernetes.io/component"],
        ...spec.ingress!.flatMap(({ ports }) => ports.map(({ port }) => port))
      ]),
      [
        [undefined, "ops"],
        ["api", "http"]
      ]
    )
  })

  it("leaves the number of pods to an autoscaler, which counts them by a metric of the program", () => {
    const scaled = parseYaml(readFileSync(SCALED_OBJECT, "utf8")) as {
      readonly spec: {
        readonly scaleTargetRef: { readonly name: string }
        readonly maxReplicaCount: number
        readonly triggers: readonly [{ readonly metadata: { readonly query: string } }]
      }
    }
    const { maxReplicaCount, scaleTargetRef, triggers } = scaled.spec
    const deployment = ofKind(manifests(examples["dual-stack.yaml"]), "Deployment").find(
      ({ metadata }) => metadata.name === scaleTargetRef.name
    )
    assert.notProperty(deployment!.spec, "replicas")
    assert.isAtMost(maxReplicaCount, 24)
    const { name, query } = /(?<name>ledgerhook_\w+)(?<query>\{.+\})/.exec(triggers[0].metadata.query)!
      .groups!
    assert.include(readFileSync("docs/operations.md", "utf8"), `| \`${name}\` |`)
    for (const label of ['stage="deliver"', 'because="service"', 'installation="default/ledgerhook"'])
      assert.include(query, label)
  })

  it("writes numbers as the program reads them", () => {
    for (const container of containers(manifests(monitored))) {
      assert.strictEqual(variableOf(container, "DISABLE_AFTER_FAILURES"), "1000000")
      assert.strictEqual(variableOf(container, "DELIVERY_JITTER"), "0.2")
    }
  })

  it("starts nothing while a store is restored", () => {
    const [container] = containers(manifests({ one: { maintenance: true } }))
    assert.notProperty(container, "args")
    assert.notInclude(container!.command!.join(" "), "ledgerhook")
    assert.notProperty(container, "livenessProbe")
  })

  it("installs the alerts of ops/prometheus, from an archive too", () => {
    const folder = mkdtempSync(join(tmpdir(), "ledgerhook-chart-"))
    const { status, stderr } = spawnSync("helm", ["package", CHART, "--destination", folder], {
      encoding: "utf8"
    })
    assert.strictEqual(status, 0, stderr)
    const archive = join(folder, `ledgerhook-${packageJson.version}.tgz`)
    const { text } = template(archive, monitored)
    rmSync(folder, { recursive: true })
    assert.include(text, "alert: LedgerhookGone")
    const [rule] = ofKind(manifests(monitored), "PrometheusRule")
    const alerts = readFileSync(ALERTS, "utf8").replaceAll("OWNER/ledgerhook", "example/ledgerhook")
    assert.deepStrictEqual(rule!.spec, parseYaml(alerts))
    const [monitor] = ofKind(manifests(monitored), "ServiceMonitor")
    assert.include(
      JSON.stringify(monitor),
      '{"targetLabel":"installation","replacement":"default/ledgerhook"}'
    )
  })

  const refused: Readonly<Record<string, readonly [values: Values, message: string]>> = {
    "processes=many": [{ processes: "many" }, "at '/processes': value must be one of 'one', 'several'"],
    "a secret among the settings": [
      { settings: { DATABASE_URL: "postgres://user:password@db/x" } },
      "at '/settings': additional properties 'DATABASE_URL' not allowed"
    ],
    "a secret in clear": [
      { secrets: { ADMIN_KEY: "svc_live_x" } },
      "at '/secrets/ADMIN_KEY': got string, want object"
    ],
    "several processes without PostgreSQL": [
      { ...several, secrets: { SECRETS_KEY: secret("key") } },
      "secrets.DATABASE_URL: is required with processes=several"
    ],
    "several processes without a common key": [
      { ...several, secrets: { DATABASE_URL: secret("uri") } },
      "secrets.SECRETS_KEY: is required with processes=several"
    ],
    "several processes without Kafka": [
      { ...several, settings: {} },
      "settings.KAFKA_BROKERS: is required with processes=several"
    ],
    "a pod that keeps nothing": [
      { one: { storage: { enabled: false } } },
      "secrets.DATABASE_URL: is required with one.storage.enabled=false"
    ],
    "a setting with two values": [
      { settings: { MAIL_FROM: "a@b.example" }, secrets: { MAIL_FROM: secret("from") } },
      "MAIL_FROM: is set by settings and by secrets; remove one of the two."
    ],
    "a variable of the chart": [
      { extraEnv: [{ name: "PORT", value: "80" }] },
      "PORT: is set by the chart and by extraEnv"
    ],
    "a role that no group has": [
      { ...several, groups: { replay: { roles: [] } } },
      "groups: no group has the role replay; add it to the roles of a group, or to settings.WITHOUT_ROLES."
    ],
    "a role in two groups": [
      { ...several, groups: { workers: { roles: ["delay"], replicas: 1 } } },
      "groups: the role delay is in groups.workers and in groups.deliver; it must be in one place."
    ],
    "a role that is there and left out": [
      { ...several, settings: { KAFKA_BROKERS: "kafka:9092", WITHOUT_ROLES: "events, replay" } },
      "groups: the role replay is in groups.replay and in settings.WITHOUT_ROLES"
    ],
    "no API": [
      { ...several, groups: { api: { roles: [] } } },
      "groups: no group has the role api, to which the Service leads"
    ],
    "a role that does not exist": [
      { ...several, groups: { api: { roles: ["apis"] } } },
      "at '/groups/api/roles/0': value must be one of 'api', 'ingest'"
    ],
    "more pods than can share the webhooks": [
      { ...several, groups: { deliver: { replicas: 25 } } },
      "groups.deliver.replicas: at most 24 pods"
    ],
    "IPv6 to a program that listens on IPv4": [
      { service: { ipFamilyPolicy: "RequireDualStack" } },
      'settings.HOST: must be "::" with service.ipFamilyPolicy=RequireDualStack'
    ],
    "less time to start than a migration may wait": [
      { startupSeconds: 300 },
      "at '/startupSeconds': minimum: got 300, want 360"
    ],
    "an ingress for every host": [{ ingress: { enabled: true } }, "ingress.host: is required"]
  }
  it.each(Object.entries(refused))("refuses %s with a message that names it", (_, [values, message]) => {
    const { status, text } = template(CHART, values)
    assert.notStrictEqual(status, 0)
    assert.include(text, message)
  })
})
