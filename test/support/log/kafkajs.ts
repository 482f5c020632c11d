/** A Kafka client that shares no code with the program: kafkajs, as docs/examples/events.js uses it. */
import { zstdDecompressSync } from "node:zlib"
import kafkajs, { type KafkaMessage } from "kafkajs"
import type { KafkaSettings } from "../../../src/spine/config/Config.ts"

const { CompressionCodecs, CompressionTypes, Kafka, logLevel } = kafkajs
CompressionCodecs[CompressionTypes.ZSTD] = () => ({
  compress: () => Promise.reject(new Error("it only reads")),
  decompress: (buffer: Buffer) => Promise.resolve(zstdDecompressSync(buffer))
})

export type ReadMessage = KafkaMessage & { readonly value: Buffer }

/** The first `count` committed records of a topic with one partition, in order. */
export const readByKafkajs = async (
  { brokers, topicPrefix }: Pick<KafkaSettings, "brokers" | "topicPrefix">,
  topic: string,
  count: number
): Promise<ReadonlyArray<ReadMessage>> => {
  const client = new Kafka({ brokers: [...brokers], logLevel: logLevel.NOTHING })
  const consumer = client.consumer({ groupId: `${topicPrefix}kafkajs` })
  const messages: Array<ReadMessage> = []
  await consumer.connect()
  await consumer.subscribe({ topic: topicPrefix + topic, fromBeginning: true })
  await new Promise<void>((done, fail) => {
    consumer.on("consumer.crash", ({ payload }) => payload.restart || fail(payload.error))
    void consumer.run({
      eachMessage: async ({ message }) => {
        if (message.value !== null && messages.push({ ...message, value: message.value }) === count) done()
      }
    })
  })
  await consumer.disconnect()
  return messages
}
