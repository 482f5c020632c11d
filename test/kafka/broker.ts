/**
 * Runs a real Apache Kafka 4 with one or several nodes, for tests and for `npm run kafka`. It needs `java` (17 or
 * later) and `mvn`, and downloads the jars from Maven Central once. The data is in a folder that the caller chooses:
 * a new cluster in an empty one, else the cluster that is there.
 */
import { execFile } from "node:child_process"
import { randomBytes } from "node:crypto"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import {
  cache,
  filledOnce,
  freePort,
  javaVersion,
  maven,
  output,
  type RunningServer,
  startJavaServer
} from "./javaServer.ts"

const JAVA_MIN = 17
const jars = cache("kafka")

/** The programs that are missing to run a broker; undefined if none are. */
export const missing = (): string | undefined => {
  if (javaVersion() < JAVA_MIN) return `java ${JAVA_MIN} or later`
  return existsSync(jars) || output("mvn", ["--version"]) !== undefined ? undefined : "mvn"
}

/** The folder with the broker's jars, which include Kafka's Java client. */
export const fetchJars = (): string =>
  filledOnce(jars, (making) =>
    maven(
      "--file",
      join(import.meta.dirname, "pom.xml"),
      "dependency:copy-dependencies",
      `-DoutputDirectory=${making}`
    )
  )

export interface BrokerOptions {
  /** Default: a free port. */
  readonly port?: number
  /** The port that clients are told to connect to: a proxy's. Default: the broker's own. */
  readonly advertisedPort?: number
  /** `short`: Kafka drops a dead group member after 10 seconds. `stock`: after 45, and no group can shorten it. */
  readonly memberTimeout?: "short" | "stock"
  /** Default: clients connect without TLS and login, and may do everything. */
  readonly secured?: Secured
  /** Other settings of the broker. */
  readonly more?: Readonly<Record<string, string | number>>
}

export interface Secured {
  /** Clients connect with TLS: a file with the broker's private key and certificate, both PEM. */
  readonly pem?: string
  /** Clients must have a certificate that this authority has signed (a file), and are named by its common name. */
  readonly clientAuthority?: string
  /** Clients log in with SCRAM-SHA-512: passwords by user. */
  readonly users?: Readonly<Record<string, string>>
  /** Clients log in with OAUTHBEARER: tokens for this audience, signed with a key of this address. */
  readonly oauth?: { readonly keysUrl: string; readonly audience: string }
  /** Clients log in again within this time. */
  readonly loginMs?: number
  /** Clients may only do what access control lists allow; this user may do everything. */
  readonly superUser?: string
}

/** Writes each denied operation to the broker's log. */
const AUDIT = `rootLogger.level = ERROR
rootLogger.appenderRef.out.ref = out
appender.out.type = Console
appender.out.name = out
appender.out.layout.type = PatternLayout
appender.out.layout.pattern = %m%n
logger.audit.name = kafka.authorizer.logger
logger.audit.level = INFO
`

const CLIENTS = "listener.name.clients"
const OAUTH = "org.apache.kafka.common.security.oauthbearer"

const loginsOf = ({ oauth, users }: Secured): boolean => oauth !== undefined || users !== undefined

const protocolOf = (secured: Secured | undefined): string =>
  secured === undefined
    ? "PLAINTEXT"
    : `${loginsOf(secured) ? "SASL_" : ""}${secured.pem === undefined ? "PLAINTEXT" : "SSL"}`

const securedProperties = (secured: Secured): Readonly<Record<string, string | number>> => {
  const { clientAuthority, loginMs, oauth, pem, superUser, users } = secured
  const mechanism = oauth === undefined ? "SCRAM-SHA-512" : "OAUTHBEARER"
  return {
    ...(pem === undefined
      ? {}
      : { [`${CLIENTS}.ssl.keystore.type`]: "PEM", [`${CLIENTS}.ssl.keystore.location`]: pem }),
    ...(clientAuthority === undefined
      ? {}
      : {
          [`${CLIENTS}.ssl.client.auth`]: "required",
          [`${CLIENTS}.ssl.truststore.type`]: "PEM",
          [`${CLIENTS}.ssl.truststore.location`]: clientAuthority,
          "ssl.principal.mapping.rules": "RULE:^CN=([^,]+).*$/$1/"
        }),
    ...(loginsOf(secured) ? { [`${CLIENTS}.sasl.enabled.mechanisms`]: mechanism } : {}),
    ...(users === undefined
      ? {}
      : {
          [`${CLIENTS}.scram-sha-512.sasl.jaas.config`]:
            "org.apache.kafka.common.security.scram.ScramLoginModule required;"
        }),
    ...(oauth === undefined
      ? {}
      : {
          [`${CLIENTS}.oauthbearer.sasl.jaas.config`]: `${OAUTH}.OAuthBearerLoginModule required;`,
          [`${CLIENTS}.oauthbearer.sasl.server.callback.handler.class`]: `${OAUTH}.OAuthBearerValidatorCallbackHandler`,
          [`${CLIENTS}.oauthbearer.sasl.oauthbearer.jwks.endpoint.url`]: oauth.keysUrl,
          [`${CLIENTS}.oauthbearer.sasl.oauthbearer.expected.audience`]: oauth.audience
        }),
    ...(loginMs === undefined
      ? {}
      : { [`${CLIENTS}.${mechanism.toLowerCase()}.connections.max.reauth.ms`]: loginMs }),
    ...(superUser === undefined
      ? {}
      : {
          "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
          "allow.everyone.if.no.acl.found": "false",
          // The brokers' own listeners have no login.
          "super.users": `User:${superUser};User:ANONYMOUS`
        })
  }
}

const SHORT_TIMEOUT = {
  "group.consumer.min.session.timeout.ms": 6_000,
  "group.consumer.session.timeout.ms": 10_000
}

interface Node {
  readonly id: number
  readonly folder: string
  readonly clients: number
  readonly controller: number
  readonly internal: number
}

/** Moved leaders return to the brokers that should lead them within seconds, not five minutes. */
const LEADERS_RETURN = { "leader.imbalance.check.interval.seconds": 5 }

/** Every node is a broker and a controller. */
const properties = (
  { id, folder, clients, controller, internal }: Node,
  nodes: ReadonlyArray<Node>,
  { secured, memberTimeout = "short", advertisedPort = clients, more = {} }: BrokerOptions
): string => {
  const copies = Math.min(3, nodes.length)
  const inSync = Math.max(1, copies - 1)
  return Object.entries({
    "process.roles": "broker,controller",
    "node.id": id,
    "controller.quorum.voters": nodes.map((node) => `${node.id}@127.0.0.1:${node.controller}`).join(),
    listeners: `CLIENTS://127.0.0.1:${clients},INTERNAL://127.0.0.1:${internal},CONTROLLER://127.0.0.1:${controller}`,
    "advertised.listeners": `CLIENTS://127.0.0.1:${advertisedPort},INTERNAL://127.0.0.1:${internal}`,
    "controller.listener.names": "CONTROLLER",
    "listener.security.protocol.map": `CLIENTS:${protocolOf(secured)},INTERNAL:PLAINTEXT,CONTROLLER:PLAINTEXT`,
    "inter.broker.listener.name": "INTERNAL",
    ...(secured === undefined ? {} : securedProperties(secured)),
    "log.dirs": join(folder, "data"),
    "auto.create.topics.enable": false,
    "min.insync.replicas": inSync,
    "offsets.topic.replication.factor": copies,
    "offsets.topic.num.partitions": 4,
    "transaction.state.log.replication.factor": copies,
    "transaction.state.log.min.isr": inSync,
    "transaction.state.log.num.partitions": 4,
    ...(nodes.length === 1 ? {} : LEADERS_RETURN),
    ...(memberTimeout === "short" ? SHORT_TIMEOUT : {}),
    ...more
  })
    .map(([name, value]) => `${name}=${value}`)
    .join("\n")
}

export interface Broker {
  /** The broker's address. With one broker, this is the value of KAFKA_BROKERS. */
  readonly brokers: string
  /** `stop` shuts the brokers down; `start` starts them again on the same data and ports. */
  readonly stop: () => Promise<void>
  readonly start: () => Promise<void>
  /** Sends SIGKILL. */
  readonly kill: () => Promise<void>
  /** What clients were refused, in the broker's words, if it has access control lists. */
  readonly denials: () => ReadonlyArray<string>
  /** Between `freeze` and `thaw` the process does nothing but keeps its connections. */
  readonly freeze: () => void
  readonly thaw: () => void
}

/** 16 bytes in base64url, new for each folder. The first letter is fixed: a leading dash would begin an option. */
const newClusterId = (): string => Buffer.concat([Buffer.from("l"), randomBytes(15)]).toString("base64url")

const run = promisify(execFile)
/** In a cluster, a broker hands its partitions over before it stops. */
const HAND_OVER_MS = 60_000
const SMALL_HEAP_MB = 256

const makeNode = async (folder: string, id: number, port?: number): Promise<Node> => ({
  id,
  folder,
  clients: port ?? (await freePort()),
  controller: await freePort(),
  internal: await freePort()
})

const makeBroker = async (
  node: Node,
  nodes: ReadonlyArray<Node>,
  clusterId: string,
  options: BrokerOptions
): Promise<Broker> => {
  const classpath = join(fetchJars(), "*")
  const { folder, clients } = node
  const log = join(folder, "broker.log")
  const config = join(folder, "server.properties")
  mkdirSync(folder, { recursive: true })
  writeFileSync(config, properties(node, nodes, options))
  const { secured } = options
  const users = Object.entries(secured?.users ?? {}).flatMap(([name, password]) => [
    "--add-scram",
    `SCRAM-SHA-512=[name=${name},password=${password}]`
  ])
  if (!existsSync(join(folder, "data/meta.properties")))
    await run("java", [
      ...["-cp", classpath, "kafka.tools.StorageTool", "format", "-t", clusterId, "-c", config],
      ...users
    ])
  const audit = join(folder, "log4j2.properties")
  if (secured?.superUser !== undefined) writeFileSync(audit, AUDIT)
  const system = [
    // Kafka 4 reads keys only from addresses that its start allows.
    ...(secured?.oauth === undefined
      ? []
      : [`-Dorg.apache.kafka.sasl.oauthbearer.allowed.urls=${secured.oauth.keysUrl}`]),
    ...(secured?.superUser === undefined ? [] : [`-Dlog4j2.configurationFile=${audit}`])
  ]
  let running: RunningServer | undefined
  return {
    brokers: `127.0.0.1:${clients}`,
    denials: () =>
      readFileSync(log, "utf8")
        .split("\n")
        .filter((line) => line.includes(" is Denied operation = ")),
    start: async () => {
      running = await startJavaServer({
        java: "java",
        args: [...system, "-cp", classpath, "kafka.Kafka", config],
        port: clients,
        log,
        ...(nodes.length === 1 ? {} : { heapMb: SMALL_HEAP_MB, stopMs: HAND_OVER_MS })
      })
    },
    stop: async () => running?.stop(),
    kill: async () => running?.kill(),
    freeze: () => running?.signal("SIGSTOP"),
    thaw: () => running?.signal("SIGCONT")
  }
}

export const startBroker = async (folder: string, options: BrokerOptions = {}): Promise<Broker> => {
  const node = await makeNode(folder, 1, options.port)
  const broker = await makeBroker(node, [node], newClusterId(), options)
  await broker.start()
  return broker
}

/** Starts one cluster; returns its brokers 1 to `count`, in order. */
export const startCluster = async (folder: string, count: number): Promise<ReadonlyArray<Broker>> => {
  const nodes: Array<Node> = []
  for (let id = 1; id <= count; id++) nodes.push(await makeNode(join(folder, String(id)), id))
  const clusterId = newClusterId()
  const brokers = await Promise.all(nodes.map((node) => makeBroker(node, nodes, clusterId, {})))
  for (const one of await Promise.allSettled(brokers.map(({ start }) => start()))) {
    if (one.status === "fulfilled") continue
    await Promise.all(brokers.map(({ kill }) => kill()))
    throw one.reason
  }
  return brokers
}
