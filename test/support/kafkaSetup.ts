/**
 * Once per run of tests that need Kafka: KAFKA_BROKERS, else a broker of one node in a temporary folder. Where neither
 * can be had the tests are left out and the run says so; with REQUIRE_KAFKA=1 that is a failure.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { TestProject } from "vitest/node"
import { missing, startBroker } from "../kafka/broker.ts"

declare module "vitest" {
  interface ProvidedContext {
    /** A comma list; empty: there is none. */
    readonly kafkaBrokers: string
  }
}

export default async (project: TestProject) => {
  const given = process.env["KAFKA_BROKERS"] ?? ""
  const lacking = given === "" ? missing() : undefined
  if (given !== "" || lacking !== undefined) {
    if (lacking !== undefined && process.env["REQUIRE_KAFKA"] === "1") {
      throw new Error(`REQUIRE_KAFKA: no Kafka can be had here; install ${lacking}, or set KAFKA_BROKERS.`)
    }
    project.provide("kafkaBrokers", given)
    return () => undefined
  }
  const folder = mkdtempSync(join(tmpdir(), "ledgerhook-kafka-"))
  const broker = await startBroker(folder)
  project.provide("kafkaBrokers", broker.brokers)
  return async () => {
    await broker.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}
