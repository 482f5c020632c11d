/** `npm run kafka`: a real Kafka of one node on 127.0.0.1:9092, in a temporary folder, until Ctrl-C. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { missing, startBroker } from "./broker.ts"

const PORT = 9092
const lacking = missing()
if (lacking !== undefined) {
  process.stderr.write(
    `npm run kafka needs ${lacking}; install it, or set KAFKA_BROKERS to a cluster you have.\n`
  )
  process.exit(1)
}
const folder = mkdtempSync(join(tmpdir(), "ledgerhook-kafka-"))
process.stdout.write("Starting Kafka; the first time its jars are fetched.\n")
const broker = await startBroker(folder, { port: PORT })
process.stdout.write(
  `Kafka is ready. In another terminal: KAFKA_BROKERS=${broker.brokers} npm start\nCtrl-C stops it and removes its data.\n`
)
const stop = () => {
  void broker.stop().then(() => {
    rmSync(folder, { recursive: true, force: true })
    process.exit(0)
  })
}
process.once("SIGINT", stop)
process.once("SIGTERM", stop)
