/**
 * A real Apache Kafka 4 of one node, from its Maven Central jars, where `java` (17 or later) and `mvn` are: for tests, and
 * for trials by `npm run kafka`. The jars are fetched once; data are in a folder of the caller's, and new each time.
 */
import { execFileSync } from "node:child_process"
import { randomBytes } from "node:crypto"
import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { cache, filledOnce, freePort, javaVersion, maven, output, startJavaServer } from "./javaServer.ts"

const JAVA_MIN = 17
const jars = cache("kafka")

/** What is missing here to run a broker; undefined: nothing. */
export const missing = (): string | undefined => {
  if (javaVersion() < JAVA_MIN) return `java ${JAVA_MIN} or later`
  return existsSync(jars) || output("mvn", ["--version"]) !== undefined ? undefined : "mvn"
}

const fetchJars = (): string =>
  filledOnce(jars, (making) =>
    maven(
      "--file",
      join(import.meta.dirname, "pom.xml"),
      "dependency:copy-dependencies",
      `-DoutputDirectory=${making}`
    )
  )

export interface BrokerOptions {
  /** By default a free one. */
  readonly port?: number
  /** A group's member that is gone is given up after ten seconds, or after Kafka's own 45, which no group can shorten. */
  readonly memberTimeout?: "short" | "stock"
  /** Clients come by TLS, and log in by SCRAM-SHA-512. */
  readonly secured?: {
    readonly username: string
    readonly password: string
    /** A file with the private key and the certificate, both PEM. */
    readonly pem: string
  }
}

const securedProperties = ({ pem }: NonNullable<BrokerOptions["secured"]>) => ({
  "listener.name.clients.ssl.keystore.type": "PEM",
  "listener.name.clients.ssl.keystore.location": pem,
  "listener.name.clients.sasl.enabled.mechanisms": "SCRAM-SHA-512",
  "listener.name.clients.scram-sha-512.sasl.jaas.config":
    "org.apache.kafka.common.security.scram.ScramLoginModule required;"
})

const SHORT_TIMEOUT = {
  "group.consumer.min.session.timeout.ms": 6_000,
  "group.consumer.session.timeout.ms": 10_000
}

/** One node is its own quorum. */
const properties = (
  folder: string,
  { clients, controller, internal }: Readonly<Record<"clients" | "controller" | "internal", number>>,
  { secured, memberTimeout = "short" }: BrokerOptions
): string =>
  Object.entries({
    "process.roles": "broker,controller",
    "node.id": 1,
    "controller.quorum.voters": `1@127.0.0.1:${controller}`,
    listeners: `CLIENTS://127.0.0.1:${clients},INTERNAL://127.0.0.1:${internal},CONTROLLER://127.0.0.1:${controller}`,
    "advertised.listeners": `CLIENTS://127.0.0.1:${clients},INTERNAL://127.0.0.1:${internal}`,
    "controller.listener.names": "CONTROLLER",
    "listener.security.protocol.map": `CLIENTS:${secured === undefined ? "PLAINTEXT" : "SASL_SSL"},INTERNAL:PLAINTEXT,CONTROLLER:PLAINTEXT`,
    "inter.broker.listener.name": "INTERNAL",
    ...(secured === undefined ? {} : securedProperties(secured)),
    "log.dirs": join(folder, "data"),
    "auto.create.topics.enable": false,
    "offsets.topic.replication.factor": 1,
    "offsets.topic.num.partitions": 4,
    "transaction.state.log.replication.factor": 1,
    "transaction.state.log.min.isr": 1,
    "transaction.state.log.num.partitions": 4,
    ...(memberTimeout === "short" ? SHORT_TIMEOUT : {})
  })
    .map(([name, value]) => `${name}=${value}`)
    .join("\n")

export interface Broker {
  /** The value of KAFKA_BROKERS. */
  readonly brokers: string
  /** Stops it, and starts it again on the same data and ports. */
  readonly stop: () => Promise<void>
  readonly start: () => Promise<void>
}

/** 16 bytes in base 64; each folder is a cluster of its own. One that began with a dash would be taken for an option. */
const newClusterId = (): string => Buffer.concat([Buffer.from("l"), randomBytes(15)]).toString("base64url")

export const startBroker = async (folder: string, options: BrokerOptions = {}): Promise<Broker> => {
  const classpath = join(fetchJars(), "*")
  const port = options.port ?? (await freePort())
  const ports = { clients: port, controller: await freePort(), internal: await freePort() }
  const config = join(folder, "server.properties")
  mkdirSync(folder, { recursive: true })
  writeFileSync(config, properties(folder, ports, options))
  const { secured } = options
  const user =
    secured === undefined
      ? []
      : ["--add-scram", `SCRAM-SHA-512=[name=${secured.username},password=${secured.password}]`]
  execFileSync(
    "java",
    ["-cp", classpath, "kafka.tools.StorageTool", "format", "-t", newClusterId(), "-c", config, ...user],
    { stdio: "ignore" }
  )
  let stopRunning = async (): Promise<void> => undefined
  const start = async () => {
    stopRunning = await startJavaServer({
      java: "java",
      args: ["-cp", classpath, "kafka.Kafka", config],
      port,
      log: join(folder, "broker.log")
    })
  }

  await start()
  return { brokers: `127.0.0.1:${port}`, start, stop: () => stopRunning() }
}
