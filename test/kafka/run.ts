/**
 * `npm run kafka` runs a real one-node Kafka on 127.0.0.1:9092 until Ctrl-C. `-- --registry` adds a schema registry on port
 * 8081, which keeps its schemas in Kafka. Without `--data DIR` everything is in a temporary folder. The lines `stop`,
 * `kill` and `start` on standard input are for trying an outage.
 */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { createInterface } from "node:readline"
import { parseArgs } from "node:util"
import { type Broker, missing, startBroker } from "./broker.ts"
import { keptInKafka, missingForRegistry, startRegistry } from "./registry.ts"

const PORT = 9092
const REGISTRY_PORT = 8081

const print = (line: string) => process.stdout.write(`${line}\n`)

const end = (code: number, message: string): never => {
  process.stderr.write(`${message}\n`)
  process.exit(code)
}

const wanted = () => {
  try {
    return parseArgs({ options: { registry: { type: "boolean" }, data: { type: "string" } } }).values
  } catch {
    return end(2, "Usage: npm run kafka [-- [--registry] [--data DIR]]")
  }
}

const { data, registry: withRegistry = false } = wanted()
const lacking = missing() ?? (withRegistry ? missingForRegistry() : undefined)
if (lacking !== undefined) {
  end(1, `npm run kafka needs ${lacking}; install it, or set KAFKA_BROKERS to a cluster you have.`)
}
const folder = data === undefined ? mkdtempSync(join(tmpdir(), "ledgerhook-kafka-")) : resolve(data)
const running: Array<{ readonly stop: () => Promise<void> }> = []
const stopAll = async () => {
  await Promise.all(running.map(({ stop }) => stop()))
  if (data === undefined) rmSync(folder, { recursive: true, force: true })
}

/** Obeys one line at a time. */
const obey = ({ kill, start, stop }: Broker) => {
  const orders = new Map([
    ["stop", { run: stop, done: "Kafka has stopped." }],
    ["kill", { run: kill, done: "Kafka was killed (SIGKILL)." }],
    ["start", { run: start, done: "Kafka is ready." }]
  ])
  let isRunning = true
  let before = Promise.resolve()
  createInterface({ input: process.stdin }).on("line", (line) => {
    before = before.then(async () => {
      const order = orders.get(line.trim())
      if (order === undefined) return void print("Lines are: stop, kill, start.")
      if (isRunning !== (line.trim() === "start")) await order.run()
      isRunning = line.trim() === "start"
      print(order.done)
    })
  })
}

print("Starting Kafka; the first time its jars are fetched.")
try {
  mkdirSync(folder, { recursive: true })
  const broker = await startBroker(folder, { port: PORT })
  running.push(broker)
  const registry = withRegistry
    ? await startRegistry(folder, { port: REGISTRY_PORT, environment: keptInKafka(broker.brokers) })
    : undefined
  if (registry !== undefined) running.unshift(registry)
  const settings = [
    `KAFKA_BROKERS=${broker.brokers}`,
    ...(registry === undefined ? [] : [`SCHEMA_REGISTRY_URL=${registry.url}`])
  ]
  print(`Kafka is ready. In another terminal: ${settings.join(" ")} npm start`)
  print("To try an outage, type stop or kill, and later start, each with Enter.")
  print(
    data === undefined
      ? "Ctrl-C stops it and removes its data."
      : `Ctrl-C stops it. Its data stays in ${folder}.`
  )
  obey(broker)
} catch (error) {
  await stopAll()
  end(1, error instanceof Error ? error.message : String(error))
}
const stop = () => void stopAll().then(() => process.exit(0))
process.once("SIGINT", stop)
process.once("SIGTERM", stop)
