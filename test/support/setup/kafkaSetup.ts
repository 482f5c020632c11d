/**
 * Finds a Kafka once per run of tests that need it: KAFKA_BROKERS, else one broker in a container if Docker runs, else
 * one broker from its jars in a temporary folder. If none is available, the tests are skipped and the run says so; with
 * REQUIRE_KAFKA=1 the run fails.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { TestProject } from "vitest/node"
import { type Broker, missing, startBroker } from "../../kafka/broker.ts"
import { hasEngine, startContainer } from "../../kafka/container.ts"

declare module "vitest" {
  interface ProvidedContext {
    /** A comma-separated list; empty if there is none. */
    readonly kafkaBrokers: string
  }
}

type Running = Pick<Broker, "brokers" | "stop">

const startFromJars = async (): Promise<Running> => {
  const folder = mkdtempSync(join(tmpdir(), "ledgerhook-kafka-"))
  const broker = await startBroker(folder)
  return {
    brokers: broker.brokers,
    stop: async () => {
      await broker.stop()
      rmSync(folder, { recursive: true, force: true })
    }
  }
}

/** Undefined if no Kafka is available. */
type Way = () => Promise<Running | undefined>

const fromDocker: Way = async () => ((await hasEngine()) ? startContainer() : undefined)
const fromJars: Way = async () => (missing() === undefined ? startFromJars() : undefined)

/** Starts a container if a container engine answers, else the jars. If the container fails, it prints the reason. */
export const startKafka = async (docker: Way, jars: Way): Promise<Running | undefined> => {
  const container = await docker().catch((error) => {
    process.stderr.write(`No Kafka by Docker (${error instanceof Error ? error.message : error}).\n`)
    return undefined
  })
  return container ?? jars()
}

export default async (project: TestProject) => {
  const given = process.env["KAFKA_BROKERS"] ?? ""
  const broker =
    given === "" ? await startKafka(fromDocker, fromJars) : { brokers: given, stop: async () => undefined }
  if (broker === undefined && process.env["REQUIRE_KAFKA"] === "1") {
    throw new Error(
      `REQUIRE_KAFKA: no Kafka can be had here; install ${missing()} or Docker, or set KAFKA_BROKERS.`
    )
  }
  project.provide("kafkaBrokers", broker?.brokers ?? "")
  return broker?.stop ?? (() => undefined)
}
