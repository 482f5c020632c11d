/**
 * Once per run of tests that need Kafka: KAFKA_BROKERS, else a broker of one node, in a container where Docker is, else of
 * its jars in a temporary folder. Where none can be had the tests are left out and the run says so; with REQUIRE_KAFKA=1
 * that is a failure.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { TestProject } from "vitest/node"
import { type Broker, missing, startBroker } from "../kafka/broker.ts"
import { hasEngine, startContainer } from "../kafka/container.ts"

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

/** Undefined: there is none here. */
type Way = () => Promise<Running | undefined>

const fromDocker: Way = async () => ((await hasEngine()) ? startContainer() : undefined)
const fromJars: Way = async () => (missing() === undefined ? startFromJars() : undefined)

/** A container where an engine answers, else the jars. If the container fails, the reason is printed. */
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
