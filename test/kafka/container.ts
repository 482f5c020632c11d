/**
 * Runs the Kafka of docker-compose.yml in a container for tests, if a container engine answers. The container is
 * removed when it stops; if the test run is killed, testcontainers' helper container removes it.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { parseYaml } from "@redocly/openapi-core"
import { GenericContainer, getContainerRuntimeClient, Wait } from "testcontainers"
import type { Broker } from "./broker.ts"
import { freePort } from "./javaServer.ts"

const READY_MS = 60_000
/** Kafka logs it when clients may connect; Docker accepts connections to the port before. */
const READY = "Kafka Server started"

// The cast is safe: the file is part of this repository.
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

/** Clients connect to the address that Kafka advertises, so the port is the same inside and outside. */
const environmentFor = (port: number): Record<string, string> => ({
  ...Object.fromEntries(
    Object.entries(services.kafka.environment).map(([name, value]) => [name, String(value)])
  ),
  KAFKA_LISTENERS: `MACHINE://:${port},CONTROLLER://127.0.0.1:9093`,
  KAFKA_ADVERTISED_LISTENERS: `MACHINE://127.0.0.1:${port}`,
  KAFKA_INTER_BROKER_LISTENER_NAME: "MACHINE",
  KAFKA_CONTROLLER_QUORUM_VOTERS: "1@127.0.0.1:9093"
})

/** Kafka asks for no password here: `withExposedPorts` alone would open it to the network. */
class LocalContainer extends GenericContainer {
  withLocalPort(port: number): this {
    this.withExposedPorts({ container: port, host: port })
    this.hostConfig.PortBindings = { [`${port}/tcp`]: [{ HostIp: "127.0.0.1", HostPort: String(port) }] }
    return this
  }
}

/** Whether a container engine answers at DOCKER_HOST or at one of testcontainers' default addresses. */
export const hasEngine = (): Promise<boolean> =>
  getContainerRuntimeClient().then(
    () => true,
    () => false
  )

/** Downloads the image the first time; throws if that fails. */
export const startContainer = async (): Promise<Pick<Broker, "brokers" | "stop">> => {
  const port = await freePort()
  const container = await new LocalContainer(services.kafka.image)
    .withEnvironment(environmentFor(port))
    .withLocalPort(port)
    .withWaitStrategy(Wait.forLogMessage(READY))
    .withStartupTimeout(READY_MS)
    .start()
  return { brokers: `127.0.0.1:${port}`, stop: async () => void (await container.stop()) }
}
