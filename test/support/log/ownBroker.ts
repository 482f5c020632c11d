/** A Kafka broker of the test's own, which it may stop. It ends with its data when the scope closes. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { type BrokerOptions, startBroker } from "../../kafka/broker.ts"

export const ownBrokerWith = (options: BrokerOptions) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(async () => {
        const folder = mkdtempSync(join(tmpdir(), "ledgerhook-broker-"))
        return { folder, broker: await startBroker(folder, options) }
      }),
      ({ broker, folder }) =>
        Effect.promise(async () => {
          await broker.stop()
          rmSync(folder, { recursive: true, force: true })
        })
    ),
    ({ broker }) => broker
  )

export const ownBroker = ownBrokerWith({})
