/** The client gives up on a broker that accepts connections but does not answer, such as a frozen process. */
import { createServer, type Socket } from "node:net"
import { describe, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { DELIVERIES_TOPIC } from "../../../../src/spine/domain/Delivery.ts"
import * as KafkaLog from "../../../../src/spine/log/kafka/KafkaLog.ts"
import { Log } from "../../../../src/spine/log/Log.ts"
import { waitUntil } from "../../../support/http/apiClient.ts"
import { kafkaBrokers, kafkaFor } from "../../../support/log/kafka.ts"

const silentBroker = Effect.acquireRelease(
  Effect.callback<{ readonly address: string; readonly close: () => void }>((resume) => {
    const sockets = new Set<Socket>()
    const server = createServer((socket) => sockets.add(socket)).listen(0, "127.0.0.1", () => {
      const address = server.address()
      resume(
        Effect.succeed({
          address: `127.0.0.1:${typeof address === "object" ? address?.port : address}`,
          close: () => {
            for (const socket of sockets) socket.destroy()
            server.close()
          }
        })
      )
    })
  }),
  ({ close }) => Effect.sync(close)
)

describe.skipIf(kafkaBrokers().length === 0)("a cluster whose first broker answers nothing", () => {
  it.live(
    "is found by the next one, also by writers that are opened anew",
    () =>
      Effect.gen(function* () {
        const silent = yield* silentBroker
        const kafka = yield* kafkaFor((topic) => topic === DELIVERIES_TOPIC)
        const log = Context.get(
          yield* Layer.build(KafkaLog.layer({ ...kafka, brokers: [silent.address, ...kafka.brokers] })),
          Log
        )
        const append = [{ topic: DELIVERIES_TOPIC, key: "k", value: "v" }]
        const succeeds = <A, E>(effect: Effect.Effect<A, E>) =>
          waitUntil(Effect.isSuccess(effect), "60 seconds")
        yield* succeeds(log.transaction({ append }))
        yield* succeeds(
          Effect.scoped(Effect.flatMap(log.exclusive("only"), (writer) => writer.transaction({ append })))
        )
      }).pipe(Effect.scoped),
    120_000
  )
})
