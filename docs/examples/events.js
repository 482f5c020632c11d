import { zstdDecompressSync } from "node:zlib"
import { SchemaRegistry } from "@kafkajs/confluent-schema-registry"
import { Ajv2020 } from "ajv/dist/2020.js"
import addFormats from "ajv-formats"
import kafkajs from "kafkajs"

const { CompressionCodecs, CompressionTypes, Kafka } = kafkajs
// Ledgerhook compresses with zstd, which kafkajs leaves to its user. Node has it from 22.15 on.
const decompress = async (buffer) => zstdDecompressSync(buffer)
CompressionCodecs[CompressionTypes.ZSTD] = () => ({ decompress })

// The versions of a schema share one $id, which a validator takes once: each version gets a validator of its own.
const ajvInstance = { compile: (schema) => addFormats.default(new Ajv2020()).compile(schema) }
const registry = new SchemaRegistry({ host: "http://localhost:8081" }, { JSON: { ajvInstance } })

const consumer = new Kafka({ brokers: ["localhost:9092"] }).consumer({ groupId: "warehouse" })
await consumer.connect()
await consumer.subscribe({ topic: "xrpl.mainnet.events", fromBeginning: true })
await consumer.run({
  eachMessage: async ({ message: { value } }) => {
    await store(value[0] === 0 ? await registry.decode(value) : JSON.parse(value))
  }
})
