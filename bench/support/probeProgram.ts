/**
 * Requests a path every 100 ms from its own process, each time on a new connection. A message asks how long the
 * requests since the last message took, in ms. An unanswered request counts with its age.
 */
import { get } from "node:http"
import { Effect, Schedule } from "effect"
import { endWithParent, send } from "./Child.ts"

const EVERY_MS = 100

const waiting = new Set<number>()
let took: Array<number> = []

export interface Probe {
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
}

const probe = ({ url, headers = {} }: Probe) => {
  const asked = performance.now()
  waiting.add(asked)
  const end = () => {
    if (waiting.delete(asked)) took.push(performance.now() - asked)
  }
  get(url, { agent: false, headers }, (response) => {
    response.resume()
    response.on("end", end)
  }).on("error", () => {
    // The connection was refused or closed. The request counts as unanswered until a later one gets a response.
  })
}

process.on("message", (message: Probe | "latencies") => {
  if (message === "latencies") {
    const now = performance.now()
    void send([...took, ...Array.from(waiting, (asked) => now - asked)])
    took = []
    waiting.clear()
    return
  }
  Effect.runFork(
    Effect.repeat(
      Effect.sync(() => probe(message)),
      Schedule.spaced(EVERY_MS)
    )
  )
  void send("probing")
})
endWithParent()
