/**
 * `npm run kafka` runs a real one-node Kafka on 127.0.0.1:9092 in a temporary folder until Ctrl-C. `-- --registry` adds
 * a schema registry on port 8081.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { missing, startBroker } from "./broker.ts"
import { missingForRegistry, startRegistry } from "./registry.ts"

const PORT = 9092
const REGISTRY_PORT = 8081

const end = (code: number, message: string): never => {
  process.stderr.write(`${message}\n`)
  process.exit(code)
}

const wanted = (): boolean => {
  try {
    return parseArgs({ options: { registry: { type: "boolean" } } }).values.registry === true
  } catch {
    return end(2, "Usage: npm run kafka [-- --registry]")
  }
}

const withRegistry = wanted()
const lacking = missing() ?? (withRegistry ? missingForRegistry() : undefined)
if (lacking !== undefined) {
  end(1, `npm run kafka needs ${lacking}; install it, or set KAFKA_BROKERS to a cluster you have.`)
}
const folder = mkdtempSync(join(tmpdir(), "ledgerhook-kafka-"))
const running: Array<{ readonly stop: () => Promise<void> }> = []
const stopAll = async () => {
  await Promise.all(running.map(({ stop }) => stop()))
  rmSync(folder, { recursive: true, force: true })
}
process.stdout.write("Starting Kafka; the first time its jars are fetched.\n")
try {
  const broker = await startBroker(folder, { port: PORT })
  running.push(broker)
  const registry = withRegistry ? await startRegistry(folder, REGISTRY_PORT) : undefined
  if (registry !== undefined) running.push(registry)
  const settings = [
    `KAFKA_BROKERS=${broker.brokers}`,
    ...(registry === undefined ? [] : [`SCHEMA_REGISTRY_URL=${registry.url}`])
  ]
  process.stdout.write(
    `Kafka is ready. In another terminal: ${settings.join(" ")} npm start\nCtrl-C stops it and removes its data.\n`
  )
} catch (error) {
  await stopAll()
  end(1, error instanceof Error ? error.message : String(error))
}
const stop = () => void stopAll().then(() => process.exit(0))
process.once("SIGINT", stop)
process.once("SIGTERM", stop)
