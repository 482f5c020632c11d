/**
 * Runs a real Kafka Connect worker, standalone and with one connector, for tests. It needs `java` (17 or later) and
 * `mvn`, and downloads the jars from Maven Central once.
 */
import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { missing } from "./broker.ts"
import { cache, filledOnce, freePort, maven, output, startJavaServer } from "./javaServer.ts"

const jars = cache("connect")

/** The programs that are missing to run a worker; undefined if none are. */
export const missingForConnect = (): string | undefined =>
  missing() ?? (existsSync(jars) || output("mvn", ["--version"]) !== undefined ? undefined : "mvn")

const fetchConnectJars = (): string =>
  filledOnce(jars, (making) =>
    maven(
      "--file",
      join(import.meta.dirname, "connect.pom.xml"),
      "dependency:copy-dependencies",
      `-DoutputDirectory=${making}`
    )
  )

const properties = (values: Readonly<Record<string, string | number | boolean>>): string =>
  Object.entries(values)
    .map(([name, value]) => `${name}=${value}\n`)
    .join("")

export interface WorkerOptions {
  /** The worker's files and its log. A worker that is started again needs nothing from it. */
  readonly folder: string
  readonly brokers: ReadonlyArray<string>
  /** The connector's configuration: lines of a properties file. */
  readonly connector: string
}

export interface Worker {
  /** The worker's REST API. */
  readonly url: string
  /** Commits the offsets of what the sink has written, then stops. */
  readonly stop: () => Promise<void>
  /** Sends SIGKILL. */
  readonly kill: () => Promise<void>
}

/** It commits only when it is stopped, so that tests know which events a killed worker has not committed. */
const COMMIT_MS = 600_000

export const startWorker = async ({ brokers, connector, folder }: WorkerOptions): Promise<Worker> => {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const [workerFile, connectorFile] = [join(folder, "worker.properties"), join(folder, "sink.properties")]
  writeFileSync(
    workerFile,
    properties({
      "bootstrap.servers": brokers.join(),
      listeners: url,
      "offset.flush.interval.ms": COMMIT_MS,
      // Standalone workers store the offsets of sources here. Those of sinks are in Kafka.
      "offset.storage.file.filename": join(folder, "offsets"),
      // Required, although the connector has its own.
      "key.converter": "org.apache.kafka.connect.converters.ByteArrayConverter",
      "value.converter": "org.apache.kafka.connect.converters.ByteArrayConverter",
      // Faster than to search each jar for plugins.
      "plugin.discovery": "service_load"
    })
  )
  writeFileSync(connectorFile, connector)
  const { kill, stop } = await startJavaServer({
    java: "java",
    args: [
      ...["-cp", join(fetchConnectJars(), "*"), "org.apache.kafka.connect.cli.ConnectStandalone"],
      ...[workerFile, connectorFile]
    ],
    port,
    log: join(folder, "worker.log")
  })
  return { url, stop, kill }
}
