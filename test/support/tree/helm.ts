/** Helm and kubeconform, which read the chart of `ops/helm`. CONTRIBUTING.md says where they come from. */
import { spawnSync } from "node:child_process"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { parseYaml } from "@redocly/openapi-core"
import { CHART } from "./chart.ts"

const SCHEMAS = "/usr/local/share/kubernetes-schemas"

export const hasHelm =
  spawnSync("helm", ["version"]).status === 0 &&
  spawnSync("kubeconform", ["-v"]).status === 0 &&
  existsSync(SCHEMAS)
if (!hasHelm && process.env["REQUIRE_HELM"] === "1") {
  throw new Error(
    "REQUIRE_HELM: helm, kubeconform or its schemas are not installed; `.ci/helm` installs them."
  )
}

/** Values as Helm's option takes them, in JSON. */
export type Values = Readonly<Record<string, unknown>>

interface ChartValues {
  readonly groups: Readonly<
    Record<string, { readonly roles: ReadonlyArray<string>; readonly replicas: number }>
  >
}

/** The groups of values.yaml. The assertions of the tests check their shape. */
export const defaultGroups = Object.entries(
  (parseYaml(readFileSync(`${CHART}/values.yaml`, "utf8")) as ChartValues).groups
)

/** An object of KEDA, for users who scale with it. The other examples are values. */
export const SCALED_OBJECT = `${CHART}/examples/scaled-object.yaml`

/** The values that users start from, by the names of their files. */
export const examples: Readonly<Record<string, Values>> = Object.fromEntries(
  readdirSync(`${CHART}/examples`)
    .filter((name) => !SCALED_OBJECT.endsWith(name))
    .map((name) => [name, parseYaml(readFileSync(join(CHART, "examples", name), "utf8")) as Values])
)

/** The chart's oldest Kubernetes. A Helm that was built without a version of its own assumes an older one. */
const OLDEST = /(?<=^kubeVersion: ">=)[\d.]+/m.exec(readFileSync(`${CHART}/Chart.yaml`, "utf8"))![0]

/** The versions of Kubernetes whose schemas `.ci/helm` installs. The chart allows the first one and newer. */
export const KUBERNETES = [OLDEST, "1.34.0", "1.37.0"]

/** What the chart in this folder or archive would install, as text. */
export const template = (chart: string, values: Values = {}) =>
  helm(["template", "ledgerhook", chart, "--kube-version", OLDEST], values)

/** Runs it; returns its exit code and everything that it wrote. */
export const helm = (args: ReadonlyArray<string>, values: Values = {}) =>
  run("helm", [...args, "--values", "-"], JSON.stringify(values))

/** Whether this version of Kubernetes knows the objects in these files, and each of their fields. */
export const kubeconform = (version: string, ...files: ReadonlyArray<string>) => {
  const name = "{{.ResourceKind}}{{.KindSuffix}}.json"
  const locations = [`${SCHEMAS}/{{.NormalizedKubernetesVersion}}/${name}`, `${SCHEMAS}/operators/${name}`]
  const options = locations.flatMap((location) => ["-schema-location", location])
  return run("kubeconform", ["-strict", "-summary", "-kubernetes-version", version, ...options, ...files])
}

const run = (program: string, args: ReadonlyArray<string>, input = "") => {
  const { status, stdout, stderr } = spawnSync(program, args, { input, encoding: "utf8", timeout: 60_000 })
  return { status, stdout, text: stdout + stderr }
}

interface Variable {
  readonly name: string
  readonly value?: string
  readonly valueFrom?: { readonly secretKeyRef: { readonly name: string; readonly key: string } }
}

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string }
  readonly periodSeconds: number
  readonly failureThreshold: number
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
  readonly lifecycle?: { readonly preStop: { readonly sleep: { readonly seconds: number } } }
  readonly resources: { readonly requests: object; readonly limits: object }
  readonly securityContext: Readonly<Record<string, unknown>>
  readonly volumeMounts: ReadonlyArray<{ readonly name: string; readonly mountPath: string }>
}

export interface PodSpec {
  readonly terminationGracePeriodSeconds: number
  readonly automountServiceAccountToken: boolean
  readonly serviceAccountName: string
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
    readonly progressDeadlineSeconds?: number
    readonly selector?: Labels & { readonly matchLabels?: Labels }
    readonly podSelector?: { readonly matchLabels: Labels }
    readonly ingress?: ReadonlyArray<{ readonly ports: ReadonlyArray<{ readonly port: string }> }>
    readonly template?: { readonly metadata: { readonly labels: Labels }; readonly spec: PodSpec }
    readonly volumeClaimTemplates?: ReadonlyArray<object>
    readonly ports?: ReadonlyArray<{ readonly port: number; readonly targetPort: string }>
    readonly clusterIP?: string
    readonly groups?: unknown
  }
}

interface Installed {
  readonly text: string
  readonly manifests: ReadonlyArray<Manifest>
}

const known = new Map<string, Installed>()

/** What the chart would install with these values. Throws with Helm's message if it refuses them. */
export const installed = (values: Values = {}): Installed => {
  const key = JSON.stringify(values)
  const before = known.get(key)
  if (before !== undefined) return before
  const { status, stdout, text } = template(CHART, values)
  if (status !== 0) throw new Error(text)
  const manifests = stdout
    .split(/^---$/m)
    .map((document) => parseYaml(document) as (Partial<Manifest> & Pick<Manifest, "metadata">) | undefined)
    // A service account has no spec.
    .filter((manifest): manifest is Manifest => manifest?.kind !== undefined)
    .map((manifest) => ({ ...manifest, spec: manifest.spec ?? {} }))
  const made = { text: stdout, manifests }
  known.set(key, made)
  return made
}

export const manifests = (values: Values = {}) => installed(values).manifests

export const ofKind = (all: ReadonlyArray<Manifest>, kind: string) => all.filter((one) => one.kind === kind)
export const pods = (all: ReadonlyArray<Manifest>) => all.flatMap(({ spec }) => spec.template ?? [])
export const containers = (all: ReadonlyArray<Manifest>) => pods(all).map(({ spec }) => spec.containers[0])
export const variableOf = ({ env }: Container, name: string) => env.find((one) => one.name === name)?.value
