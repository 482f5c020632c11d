/**
 * Checks the Helm chart against the program: its settings, roles and limits. With `helm` and `kubeconform` it also checks
 * what it installs by default and with each file in its `examples`. Nothing is installed here. helmValues.test.ts checks
 * single values.
 */

import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import packageJson from "../package.json" with { type: "json" }
import { settingsOfFeatures, settingsTable } from "../src/app/Settings.ts"
import { loadSettings } from "../src/spine/config/Config.ts"
import { roles } from "../src/spine/config/Definitions.ts"
import { storeLimits } from "../src/spine/store/Limits.ts"
import { terminalLimits } from "../src/terminal/Limits.ts"
import { CHART, documentedValues, valuesSchema } from "./support/tree/chart.ts"
import { made } from "./support/tree/documents.ts"
import {
  containers,
  defaultGroups,
  examples,
  hasHelm,
  helm,
  installed,
  KUBERNETES,
  kubeconform,
  manifests,
  ofKind,
  pods,
  SCALED_OBJECT,
  type Values,
  variableOf
} from "./support/tree/helm.ts"
import { cases } from "./support/tree/settingCases.ts"

const ALERTS = "ops/prometheus/alerts.yml"

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

  it("has the groups of docs/deploy.md", () => {
    const documented = readFileSync("docs/deploy.md", "utf8").matchAll(/^ROLES=(\S+) +npm start/gm)
    assert.deepStrictEqual(
      defaultGroups.map(([, { roles }]) => roles.join(",")),
      Array.from(documented, ([, list]) => list)
    )
  })

  it("says how many connections to PostgreSQL its pods open", () => {
    const { databaseConnections, databaseReadConnections } = storeLimits
    const ofPod = (its: ReadonlyArray<string>) =>
      databaseConnections +
      (its.some((role) => ["api", "deliver", "replay"].includes(role)) ? 1 : 0) +
      (its.includes("api") ? databaseReadConnections : 0)
    const all = defaultGroups.reduce((sum, [, { replicas, roles }]) => sum + ofPod(roles) * replicas, 0)
    const [, told] = /up to (\d+) connections to PostgreSQL/.exec(readFileSync(`${CHART}/README.md`, "utf8"))!
    assert.strictEqual(Number(told), all)
  })

  it("has no copy of the alerts: its file is a link", () => {
    assert.strictEqual(realpathSync(`${CHART}/alerts.yml`), resolve(ALERTS))
  })
})

const installations: Readonly<Record<string, Values>> = { "the default values": {}, ...examples }

const known = new Set<string>(settingsTable.map(({ name }) => name))
const secrets = new Set<string>(settingsTable.flatMap(({ name, secret }) => (secret ? [name] : [])))
/** A value that the program accepts, for a setting whose value is in a Secret. */
const valid = (name: string): string => cases[name]!.good.find(([text]) => text !== "")?.[0] ?? "any"

describe.skipIf(!hasHelm)("ops/helm, with helm and kubeconform (.ci/helm builds them)", () => {
  describe.each(Object.entries(installations))("%s", (_, values) => {
    it("pass Helm's own check", () => {
      const { status, text } = helm(["lint", "--strict", CHART], values)
      assert.strictEqual(status, 0, text)
    })

    it("give each pod settings that the program accepts, and secrets by reference only", () => {
      const all = manifests(values)
      assert.isEmpty(ofKind(all, "Secret"))
      for (const { env } of containers(all)) {
        const given = env.filter(({ name }) => !name.startsWith("NODE_"))
        assert.deepStrictEqual(
          given.filter(({ name }) => !known.has(name)),
          []
        )
        assert.strictEqual(new Set(given.map(({ name }) => name)).size, given.length)
        for (const { name, value, valueFrom } of given) {
          if (secrets.has(name)) assert.isString(valueFrom?.secretKeyRef.name, name)
          else assert.isString(value, name)
        }
        const environment = Object.fromEntries(given.map(({ name, value }) => [name, value ?? valid(name)]))
        assert.property(loadSettings(environment, settingsOfFeatures), "port", JSON.stringify(environment))
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
      for (const { spec } of pods(manifests(values))) {
        const [container] = spec.containers
        const { lifecycle, livenessProbe, ports, readinessProbe, startupProbe } = container
        const portOf = (name: string) => String(ports.find((one) => one.name === name)?.containerPort)
        assert.strictEqual(portOf("ops"), variableOf(container, "OPS_PORT"))
        if (/^all$|\bapi\b/.test(variableOf(container, "ROLES")!))
          assert.strictEqual(portOf("http"), variableOf(container, "PORT"))
        for (const probe of [startupProbe, livenessProbe])
          assert.deepInclude(probe!.httpGet, { path: "/healthz", port: "ops" })
        assert.deepStrictEqual(readinessProbe!.httpGet, { path: "/readyz/traffic", port: "ops" })
        const drainMs = (lifecycle?.preStop.sleep.seconds ?? 0) * 1_000
        assert.isAbove(spec.terminationGracePeriodSeconds * 1_000 - drainMs, terminalLimits.shutdownMs)
      }
    })

    it("call a rollout failed only when a pod has had all its time to start", () => {
      for (const { spec } of ofKind(manifests(values), "Deployment")) {
        const { failureThreshold, periodSeconds } = spec.template!.spec.containers[0].startupProbe!
        assert.isAbove(spec.progressDeadlineSeconds!, failureThreshold * periodSeconds)
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

    it("have each role in one place", () => {
      const all = manifests(values)
      const running = containers(all).flatMap((one) => variableOf(one, "ROLES")!.split(","))
      const without = variableOf(containers(all)[0]!, "WITHOUT_ROLES")?.split(",") ?? []
      assert.sameMembers([...running, ...without], running[0] === "all" ? ["all"] : [...roles])
    })
  })

  it.each(KUBERNETES)("every installation is what Kubernetes %s knows, to the last field", (version) => {
    const folder = mkdtempSync(join(tmpdir(), "ledgerhook-chart-"))
    for (const [name, values] of Object.entries(installations))
      writeFileSync(join(folder, `${name}.yaml`), installed(values).text)
    const { status, text } = kubeconform(version, folder, SCALED_OBJECT)
    rmSync(folder, { recursive: true })
    assert.strictEqual(status, 0, text)
    assert.match(text, /Valid: [1-9]\d+, Invalid: 0, Errors: 0, Skipped: 0/)
  })
})
