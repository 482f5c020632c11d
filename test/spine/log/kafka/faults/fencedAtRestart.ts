/**
 * A producer that starts again with the transactional id of an earlier one should fence it and go to work. The library
 * requests the id as producer 0 with epoch 0, which is another producer, so Kafka fences the new producer.
 * With `producerId: -1n, producerEpoch: -1`, Kafka's "I am new", it works.
 */
import { randomUUID } from "node:crypto"
import { Producer, type ProducerOptions, stringSerializers } from "@platformatic/kafka"
import { bootstrapBrokers, outcomeOf, withTopic } from "./support.ts"

type Options = ProducerOptions<string, string, string, string>

await withTopic(async (topic) => {
  const start = async (transactionalId: string, identity: Pick<Options, "producerId" | "producerEpoch">) => {
    const producer = new Producer({
      clientId: "fault",
      bootstrapBrokers,
      serializers: stringSerializers,
      idempotent: true,
      transactionalId,
      retries: 0,
      ...identity
    })
    const outcome = await outcomeOf(async () => {
      const transaction = await producer.beginTransaction()
      await transaction.send({ messages: [{ topic, key: "k", value: "v" }] })
      await transaction.commit()
    })
    await producer.close()
    return outcome
  }

  const plain = randomUUID()
  console.log(`first start: ${await start(plain, {})}`)
  console.log(`second start: ${await start(plain, {})}`)
  const asNew = { producerId: -1n, producerEpoch: -1 }
  console.log(`second start with producerId -1 and producerEpoch -1: ${await start(plain, asNew)}`)
})
