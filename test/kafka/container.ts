/**
 * The Kafka of docker-compose.yml in a container of its own, where a Docker engine answers: for tests. By the docker
 * command: the testcontainers package would bring others that build native code when they are installed.
 */
import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { parseYaml } from "@redocly/openapi-core"
import { Effect, Schedule } from "effect"
import { planOf } from "../../src/log/kafka/ClusterTopics.ts"
import type { Broker } from "./broker.ts"
import { freePort, output } from "./javaServer.ts"

const READY_MS = 60_000
const LOOK_MS = 500

export const hasDocker = (): boolean =>
  output("docker", ["version", "--format", "{{.Server.Version}}"]) !== undefined

/** What it prints; what it complains of is shown. */
const docker = (...args: ReadonlyArray<string>): string => {
  const { status, stdout } = spawnSync("docker", args, {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"]
  })
  if (status !== 0) throw new Error(`docker ${args[0]} failed`)
  return stdout.trim()
}

// The file is ours: its form is known.
const { services } = parseYaml(
  readFileSync(join(import.meta.dirname, "../../docker-compose.yml"), "utf8")
) as {
  readonly services: {
    readonly kafka: {
      readonly image: string
      readonly environment: Readonly<Record<string, string | number>>
    }
  }
}

/** Clients find it where it says it is: the port is the same inside and outside. */
const environmentFor = (port: number) => ({
  ...services.kafka.environment,
  KAFKA_LISTENERS: `MACHINE://:${port},CONTROLLER://127.0.0.1:9093`,
  KAFKA_ADVERTISED_LISTENERS: `MACHINE://127.0.0.1:${port}`,
  KAFKA_INTER_BROKER_LISTENER_NAME: "MACHINE",
  KAFKA_CONTROLLER_QUORUM_VOTERS: "1@127.0.0.1:9093"
})

/** Docker takes connections to the port before Kafka does. */
const ready = (brokers: string) =>
  planOf(
    {
      brokers: [brokers],
      ssl: false,
      sasl: undefined,
      clientId: "test",
      topicPrefix: "",
      schemaRegistryUrl: undefined
    },
    { retentionEventsMs: 86_400_000 }
  ).pipe(Effect.retry(Schedule.spaced(LOOK_MS)), Effect.timeout(READY_MS))

/** Fetches the image the first time; throws where it cannot be had. */
export const startContainer = async (): Promise<Pick<Broker, "brokers" | "stop">> => {
  const port = await freePort()
  const environment = Object.entries(environmentFor(port)).flatMap(([name, value]) => [
    "--env",
    `${name}=${value}`
  ])
  const id = docker(
    ...["run", "--detach", "--rm", "--publish", `127.0.0.1:${port}:${port}`],
    ...environment,
    services.kafka.image
  )
  const brokers = `127.0.0.1:${port}`
  const stop = async () => void docker("rm", "--force", "--volumes", id)
  try {
    await Effect.runPromise(ready(brokers))
  } catch (error) {
    await stop()
    throw error
  }
  return { brokers, stop }
}
