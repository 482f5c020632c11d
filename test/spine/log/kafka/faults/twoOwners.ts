/**
 * A group's member should give a partition back when it has finished with the records it was handed. The library's
 * member gives it back at once: another member is handed the same record while the first one still works on it.
 */
import { randomUUID } from "node:crypto"
import { once } from "node:events"
import {
  Consumer,
  type MessagesStream,
  MessagesStreamModes,
  Producer,
  stringDeserializers,
  stringSerializers
} from "@platformatic/kafka"
import { bootstrapBrokers, withTopic } from "./support.ts"

const PARTITIONS = 2

type Stream = MessagesStream<string, string, string, string>

/** The partition of the stream's next record. */
const handedOutBy = async (stream: Stream): Promise<number> => {
  for (;;) {
    const message = stream.read()
    if (message !== null) return message.partition
    await once(stream, "readable")
  }
}

await withTopic(async (topic) => {
  const producer = new Producer({ clientId: "fault", bootstrapBrokers, serializers: stringSerializers })
  await producer.send({
    messages: Array.from({ length: PARTITIONS }, (_, partition) => ({
      topic,
      partition,
      value: `${partition}`
    }))
  })
  await producer.close()

  const groupId = randomUUID()
  const consumers: Array<Consumer<string, string, string, string>> = []
  const join = async (): Promise<Stream> => {
    const consumer = new Consumer({
      clientId: "fault",
      groupId,
      groupProtocol: "consumer",
      bootstrapBrokers,
      deserializers: stringDeserializers
    })
    consumers.push(consumer)
    return consumer.consume({
      topics: [topic],
      autocommit: false,
      mode: MessagesStreamModes.COMMITTED,
      fallbackMode: "earliest"
    })
  }

  const first = await join()
  const working = new Set<number>()
  while (working.size < PARTITIONS) {
    const partition = await handedOutBy(first)
    // On a slow machine the member may rejoin and get the same record again.
    if (working.has(partition)) continue
    working.add(partition)
    console.log("first member: was handed a record, works on it")
  }
  if (working.has(await handedOutBy(await join()))) {
    console.log("second member: was handed a record that the first works on")
  }
  for (const consumer of consumers) await consumer.close(true)
}, PARTITIONS)
