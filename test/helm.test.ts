/**
 * Checks the Helm chart against the program: its settings, roles, networks and limits. With `helm` it also checks what
 * the chart installs and which values it refuses. Nothing is installed here.
 */

import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { parseYaml } from "@redocly/openapi-core"
import packageJson from "../package.json" with { type: "json" }
import { loadSettings, settingsTable } from "../src/config/Config.ts"
import { roles, type SettingName } from "../src/config/Definitions.ts"
import { Limits } from "../src/config/Limits.ts"
import { CHART, documentedValues, valuesSchema } from "./support/chart.ts"
import { made } from "./support/documents.ts"
import { hasHelm, helm, type Manifest, manifests, template, type Values } from "./support/helm.ts"
import { cases } from "./support/settingCases.ts"

const ALERTS = "ops/prometheus/alerts.yml"

/** As far as the tests read it. */
interface Schema {
  readonly properties: {
    readonly terminationGracePeriodSeconds: { readonly minimum: number }
    readonly roles: { readonly properties: Readonly<Record<string, object>> }
  }
}

describe("ops/helm", () => {
  it("knows every setting of the program, and says which values it accepts", () => {
    const { is, shouldBe } = made(`${CHART}/values.schema.json`, valuesSchema())
    assert.strictEqual(is, shouldBe)
  })

  it("explains every value", () => {
    assert.deepStrictEqual(
      documentedValues().filter(({ comment }) => comment === ""),
      []
    )
  })

  it("has the roles of the program, and lets a stop take its time", () => {
    const { properties } = JSON.parse(readFileSync(`${CHART}/values.schema.json`, "utf8")) as Schema
    assert.deepStrictEqual(Object.keys(properties.roles.properties), [...roles])
    assert.isAbove(properties.terminationGracePeriodSeconds.minimum * 1_000, Limits.shutdownMs)
  })

  it("says how many connections to PostgreSQL its pods open, also during an upgrade", () => {
    const { databaseConnections, databaseReadConnections } = Limits
    const ofRole = (role: string) =>
      databaseConnections +
      (["api", "deliver", "replay"].includes(role) ? 1 : 0) +
      (role === "api" ? databaseReadConnections : 0)
    // The assertions of the other tests check its shape.
    const { roles: its } = parseYaml(readFileSync(`${CHART}/values.yaml`, "utf8")) as {
      readonly roles: Readonly<Record<string, { readonly replicas: number }>>
    }
    const sum = (more: number) =>
      Object.entries(its).reduce((all, [role, { replicas }]) => all + ofRole(role) * (replicas + more), 0)
    const told = /up to (\d+) connections to PostgreSQL, and up to (\d+) during an upgrade/.exec(
      readFileSync(`${CHART}/README.md`, "utf8")
    )!
    assert.deepStrictEqual(told.slice(1).map(Number), [sum(0), sum(1)])
  })

  it("has no copy of the alerts: its file is a link", () => {
    assert.strictEqual(realpathSync(`${CHART}/alerts.yml`), resolve(ALERTS))
  })
})

const secret = (key: string) => ({ name: "ledgerhook", key })
const several: Values = {
  processes: "several",
  settings: { KAFKA_BROKERS: "kafka:9092", DISABLE_AFTER_FAILURES: 1_000_000, DELIVERY_JITTER: 0.2 },
  secrets: { DATABASE_URL: secret("uri"), SECRETS_KEY: secret("key") }
}
const everything: Values = {
  ...several,
  image: { repository: "registry.example/ledgerhook", pullPolicy: "Always" },
  imagePullSecrets: [{ name: "registry" }],
  certificateAuthority: { configMap: "authority" },
  service: { type: "LoadBalancer", annotations: { "example.com/a": "b" } },
  ingress: {
    enabled: true,
    host: "webhooks.example",
    className: "nginx",
    tlsSecret: "tls",
    annotations: { "example.com/a": "b" }
  },
  monitoring: { enabled: true, repository: "example/hooks", labels: { release: "prometheus" } },
  podAnnotations: { "example.com/a": "b" },
  nodeSelector: { disk: "fast" },
  tolerations: [{ key: "only", operator: "Exists" }],
  affinity: { nodeAffinity: {} }
}
const installations: Readonly<Record<string, Values>> = {
  "the default values": {},
  "one process with its own PostgreSQL": {
    one: { storage: { enabled: false } },
    secrets: several["secrets"]
  },
  "several processes": several,
  "every value": everything
}

const ofKind = (all: ReadonlyArray<Manifest>, kind: string) => all.filter((one) => one.kind === kind)
const pods = (all: ReadonlyArray<Manifest>) => all.flatMap(({ spec }) => spec?.template ?? [])
const known = new Set<string>(settingsTable.map(({ name }) => name))
const secrets = new Set<string>(settingsTable.flatMap(({ name, secret }) => (secret ? [name] : [])))
const containers = (all: ReadonlyArray<Manifest>) => pods(all).map(({ spec }) => spec.containers[0])
const variableOf = (
  container: { readonly env: ReadonlyArray<{ name: string; value?: string }> },
  name: string
) => container.env.find((one) => one.name === name)?.value

/** A value that the program accepts, for a setting whose value is in a Secret. */
const valid = (name: string): string => cases[name as SettingName].good.find(([text]) => text !== "")![0]

describe.skipIf(!hasHelm)("ops/helm, with helm (CONTRIBUTING.md says where it comes from)", () => {
  describe.each(Object.entries(installations))("%s", (_, values) => {
    it("pass Helm's own check", () => {
      const { status, text } = helm(["lint", "--strict", CHART], values)
      assert.strictEqual(status, 0, text)
    })

    it("give each pod settings that the program accepts, and secrets by reference only", () => {
      const all = manifests(values)
      assert.isEmpty(ofKind(all, "Secret"))
      for (const { env } of containers(all)) {
        const given = env.filter(({ name }) => name !== "NODE_EXTRA_CA_CERTS")
        assert.deepStrictEqual(
          given.filter(({ name }) => !known.has(name)),
          []
        )
        assert.strictEqual(new Set(given.map(({ name }) => name)).size, given.length)
        for (const { name, value, valueFrom } of given) {
          if (secrets.has(name)) assert.strictEqual(valueFrom?.secretKeyRef.name, "ledgerhook", name)
          else assert.isString(value, name)
        }
        const environment = Object.fromEntries(given.map(({ name, value }) => [name, value ?? valid(name)]))
        assert.property(loadSettings(environment), "port", JSON.stringify(environment))
      }
    })

    it("run the image of this version without privileges, on a file system that is not writable", () => {
      for (const { spec } of pods(manifests(values))) {
        const [{ image, resources, securityContext, volumeMounts }] = spec.containers
        assert.match(image, new RegExp(`^[a-z./]+:${packageJson.version.replaceAll(".", "\\.")}$`))
        assert.isFalse(spec.automountServiceAccountToken)
        assert.isTrue(spec.securityContext["runAsNonRoot"])
        assert.deepStrictEqual(securityContext, {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ["ALL"] }
        })
        assert.containsAllKeys(resources, ["requests", "limits"])
        assert.includeMembers(
          volumeMounts.map(({ mountPath }) => mountPath),
          ["/tmp", "/data"]
        )
      }
    })

    it("ask each pod on OPS_PORT whether it lives and is ready, and let it stop in its own time", () => {
      for (const { metadata, spec } of pods(manifests(values))) {
        const [container] = spec.containers
        const { livenessProbe, ports, readinessProbe, startupProbe } = container
        const portOf = (name: string) => String(ports.find((one) => one.name === name)?.containerPort)
        assert.strictEqual(portOf("ops"), variableOf(container, "OPS_PORT"))
        const component = metadata.labels["app.kubernetes.io/component"]!
        assert.strictEqual(variableOf(container, "ROLES"), component)
        if (["all", "api"].includes(component))
          assert.strictEqual(portOf("http"), variableOf(container, "PORT"))
        for (const probe of [startupProbe, livenessProbe])
          assert.deepStrictEqual(probe!.httpGet, { path: "/healthz", port: "ops" })
        assert.deepStrictEqual(readinessProbe!.httpGet, { path: "/readyz/traffic", port: "ops" })
        assert.isAbove(spec.terminationGracePeriodSeconds * 1_000, Limits.shutdownMs)
      }
    })

    it("lead requests to the pods of the API, and Prometheus to all pods", () => {
      const all = manifests(values)
      const matches = (selector: Readonly<Record<string, unknown>>) =>
        pods(all).filter(({ metadata: { labels } }) =>
          Object.entries(selector).every(([name, value]) => labels[name] === value)
        )
      const [api, ops] = ofKind(all, "Service")
      assert.lengthOf(matches(api!.spec.selector!), 1)
      assert.strictEqual(api!.spec.ports![0]!.targetPort, "http")
      assert.strictEqual(ops!.spec.clusterIP, "None")
      assert.lengthOf(matches(ops!.spec.selector!), pods(all).length)
    })
  })

  it("runs all roles in one pod with a volume, which drains of nodes may move", () => {
    const all = manifests()
    const [set, ...others] = all.filter(({ spec }) => spec.template !== undefined)
    assert.isEmpty(others)
    assert.strictEqual(set!.kind, "StatefulSet")
    assert.strictEqual(set!.spec.replicas, 1)
    assert.lengthOf(set!.spec.volumeClaimTemplates!, 1)
    assert.isEmpty(ofKind(all, "PodDisruptionBudget"))
  })

  it("runs a Deployment for each role, of which a drain of nodes stops one pod at a time", () => {
    const all = manifests(several)
    const names = (kind: string) => ofKind(all, kind).map(({ metadata }) => metadata.name)
    const expected = roles.map((role) => `ledgerhook-${role}`).sort()
    assert.deepStrictEqual(names("Deployment").sort(), expected)
    assert.deepStrictEqual(names("PodDisruptionBudget").sort(), expected)
    for (const { spec } of ofKind(all, "PodDisruptionBudget")) assert.strictEqual(spec.maxUnavailable, 1)
    assert.isEmpty(ofKind(all, "StatefulSet"))
  })

  it("writes numbers as the program reads them", () => {
    for (const container of containers(manifests(several))) {
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
    const { text } = template(archive, everything)
    rmSync(folder, { recursive: true })
    assert.include(text, "alert: LedgerhookGone")
    const [rule] = ofKind(manifests(everything), "PrometheusRule")
    const alerts = readFileSync(ALERTS, "utf8").replaceAll("OWNER/ledgerhook", "example/hooks")
    assert.deepStrictEqual(rule!.spec, parseYaml(alerts))
    const [monitor] = ofKind(manifests(everything), "ServiceMonitor")
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
      "settings.MAIL_FROM: is in secrets too"
    ],
    "an ingress for every host": [{ ingress: { enabled: true } }, "ingress.host: is required"]
  }
  it.each(Object.entries(refused))("refuses %s with a message that names it", (_, [values, message]) => {
    const { status, text } = template(CHART, values)
    assert.notStrictEqual(status, 0)
    assert.include(text, message)
  })
})
