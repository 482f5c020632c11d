/** Helm, which reads the chart of `ops/helm`. CONTRIBUTING.md says where it comes from. */
import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { parseYaml } from "@redocly/openapi-core"
import { CHART } from "./chart.ts"

export const hasHelm = spawnSync("helm", ["version"]).status === 0
if (!hasHelm && process.env["REQUIRE_HELM"] === "1") {
  throw new Error("REQUIRE_HELM: helm is not installed; `.ci/helm` builds it.")
}

/** Values as Helm's option takes them, in JSON. */
export type Values = Readonly<Record<string, unknown>>

/** The chart's oldest Kubernetes. A Helm that was built without a version of its own assumes an older one. */
const KUBERNETES = /(?<=^kubeVersion: ">=)[\d.]+/m.exec(readFileSync(`${CHART}/Chart.yaml`, "utf8"))![0]

/** What the chart in this folder or archive would install, as text. */
export const template = (chart: string, values: Values = {}) =>
  helm(["template", "ledgerhook", chart, "--kube-version", KUBERNETES], values)

/** Runs it; returns its exit code and everything that it wrote. */
export const helm = (args: ReadonlyArray<string>, values: Values = {}) => {
  const { status, stdout, stderr } = spawnSync("helm", [...args, "--values", "-"], {
    input: JSON.stringify(values),
    encoding: "utf8",
    timeout: 60_000
  })
  return { status, stdout, text: stdout + stderr }
}

interface Variable {
  readonly name: string
  readonly value?: string
  readonly valueFrom?: { readonly secretKeyRef: { readonly name: string; readonly key: string } }
}

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string }
}

export interface Container {
  readonly image: string
  readonly args?: ReadonlyArray<string>
  readonly command?: ReadonlyArray<string>
  readonly env: ReadonlyArray<Variable>
  readonly ports: ReadonlyArray<{ readonly name: string; readonly containerPort: number }>
  readonly startupProbe?: Probe
  readonly livenessProbe?: Probe
  readonly readinessProbe?: Probe
  readonly resources: { readonly requests: object; readonly limits: object }
  readonly securityContext: Readonly<Record<string, unknown>>
  readonly volumeMounts: ReadonlyArray<{ readonly name: string; readonly mountPath: string }>
}

export interface PodSpec {
  readonly terminationGracePeriodSeconds: number
  readonly automountServiceAccountToken: boolean
  readonly securityContext: Readonly<Record<string, unknown>>
  readonly containers: readonly [Container]
  readonly volumes: ReadonlyArray<{ readonly name: string }>
}

type Labels = Readonly<Record<string, string>>

/** An object of Kubernetes, as far as the tests read it. Their assertions check its shape. */
export interface Manifest {
  readonly kind: string
  readonly metadata: { readonly name: string; readonly labels: Labels }
  readonly spec: {
    readonly replicas?: number
    readonly maxUnavailable?: number
    readonly selector?: Labels & { readonly matchLabels?: Labels }
    readonly template?: { readonly metadata: { readonly labels: Labels }; readonly spec: PodSpec }
    readonly volumeClaimTemplates?: ReadonlyArray<object>
    readonly ports?: ReadonlyArray<{ readonly port: number; readonly targetPort: string }>
    readonly clusterIP?: string
    readonly groups?: unknown
  }
}

const installed = new Map<string, ReadonlyArray<Manifest>>()

/** What the chart would install with these values. Throws with Helm's message if it refuses them. */
export const manifests = (values: Values = {}): ReadonlyArray<Manifest> => {
  const key = JSON.stringify(values)
  const known = installed.get(key)
  if (known !== undefined) return known
  const { status, stdout, text } = template(CHART, values)
  if (status !== 0) throw new Error(text)
  const all = stdout
    .split(/^---$/m)
    .map((document) => parseYaml(document) as Manifest | undefined)
    .filter((manifest) => manifest !== undefined && manifest !== null)
  installed.set(key, all)
  return all
}
