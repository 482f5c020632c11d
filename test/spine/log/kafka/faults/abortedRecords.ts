/**
 * A consumer that reads committed records should not see the records of an aborted transaction. The library hands them
 * out in two cases: an answer holds several aborted transactions of one producer (it keeps the last of them only), or
 * an answer ends before the transaction's marker.
 */
import { randomUUID } from "node:crypto"
import {
  Consumer,
  FetchIsolationLevels,
  MessagesStreamModes,
  Producer,
  stringDeserializers,
  stringSerializers
} from "@platformatic/kafka"
import { bootstrapBrokers, withTopic } from "./support.ts"

await withTopic(async (topic) => {
  const producer = new Producer({
    clientId: "fault",
    bootstrapBrokers,
    serializers: stringSerializers,
    idempotent: true,
    transactionalId: randomUUID()
  })
  for (const value of ["aborted 1", "aborted 2", "committed"]) {
    const transaction = await producer.beginTransaction()
    await transaction.send({ messages: [{ topic, value }] })
    await (value === "committed" ? transaction.commit() : transaction.abort())
    console.log(`written: ${value}`)
  }
  await producer.close()

  for (const [name, maxBytes] of [
    ["in one fetch", 1_000_000],
    ["a batch a fetch", 1]
  ] as const) {
    const consumer = new Consumer({
      clientId: "fault",
      groupId: randomUUID(),
      bootstrapBrokers,
      deserializers: stringDeserializers
    })
    const stream = await consumer.consume({
      topics: [topic],
      mode: MessagesStreamModes.EARLIEST,
      isolationLevel: FetchIsolationLevels.READ_COMMITTED,
      maxBytes
    })
    for await (const { value } of stream) {
      console.log(`read ${name}: ${value}`)
      if (value === "committed") break
    }
    await consumer.close(true)
  }
})
