/** A Kafka client that shares no code with the program: Debian's `kcat`, which uses librdkafka. */
import { spawn, spawnSync } from "node:child_process"
import { createInterface } from "node:readline"
import type { KafkaSettings } from "../../../src/spine/config/Config.ts"

export const hasKcat = spawnSync("kcat", ["-V"]).status === 0
if (!hasKcat && process.env["REQUIRE_KAFKA"] === "1") {
  throw new Error("REQUIRE_KAFKA: no consumer outside of Node can be had here; install kcat.")
}

export interface Message {
  readonly partition: number
  readonly offset: number
  readonly key: string
  readonly headers: ReadonlyArray<string>
  readonly payload: string
}

/** Reads every committed record of the topic, in order within each partition. */
export const readByKcat = async (
  { brokers, topicPrefix }: Pick<KafkaSettings, "brokers" | "topicPrefix">,
  topic: string
): Promise<ReadonlyArray<Message>> => {
  const child = spawn(
    "kcat",
    [
      ...["-b", brokers.join(","), "-t", topicPrefix + topic],
      ...["-C", "-o", "beginning", "-e", "-q", "-J", "-X", "isolation.level=read_committed"]
    ],
    { stdio: ["ignore", "pipe", "pipe"], timeout: 60_000 }
  )
  const ended = new Promise<number | null>((done) => child.once("close", done))
  let errors = ""
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors += text
  })
  const messages: Array<Message> = []
  for await (const line of createInterface(child.stdout)) messages.push(JSON.parse(line))
  if ((await ended) !== 0) throw new Error(`kcat: ${errors}`)
  return messages
}
