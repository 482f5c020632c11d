/**
 * A customer in its own process that uses a place that accounts share, again and again: it sends itself a test notice,
 * opens a stream, or signs in and out. A message asks how long each took since the last message, in ms.
 */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { setTimeout as pause } from "node:timers/promises"
import { endWithParent, send } from "./Child.ts"

export interface PlacesUse {
  readonly origin: string
  readonly key: string
  readonly place: "notices" | "streams" | "sessions"
}

const PAUSE_MS = 100
const RETRY_MS = 10

let took: Array<number> = []
let arrived: () => void = () => undefined

const receiver = createServer((request, response) => {
  request.resume()
  response.end()
  arrived()
})

/** Throws if the service refuses the request: then the place was taken. */
const asked = async (url: string, init: RequestInit): Promise<Response> => {
  const response = await fetch(url, init)
  // The receiver has had its own last notice, but the sender has not stored this yet.
  if (response.status === 409) {
    await pause(RETRY_MS)
    return asked(url, init)
  }
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
  return response
}

const useOnce = async ({ origin, key, place }: PlacesUse): Promise<void> => {
  const headers = { "x-service-key": key, "content-type": "application/json" }
  switch (place) {
    case "notices": {
      const notice = new Promise<void>((resolve) => {
        arrived = resolve
      })
      await asked(`${origin}/v1/account/notices/test`, { method: "POST", headers })
      return notice
    }
    case "streams": {
      const ending = new AbortController()
      await asked(`${origin}/v1/events/stream`, { headers, signal: ending.signal })
      return ending.abort()
    }
    case "sessions": {
      const body = JSON.stringify({ key })
      const session = await asked(`${origin}/v1/session`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body
      })
      const cookie = session.headers.get("set-cookie")?.split(";", 1)[0] ?? ""
      await asked(`${origin}/v1/session`, {
        method: "DELETE",
        headers: { cookie, "x-requested-with": "ledgerhook" }
      })
    }
  }
}

const begin = async (use: PlacesUse) => {
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve))
  if (use.place === "notices") {
    // It listens on TCP.
    const { port } = receiver.address() as AddressInfo
    await asked(`${use.origin}/v1/account/notices`, {
      method: "PUT",
      headers: { "x-service-key": use.key, "content-type": "application/json" },
      body: JSON.stringify({ url: `http://127.0.0.1:${port}/` })
    })
  }
  await send("using")
  for (;;) {
    const began = performance.now()
    await useOnce(use)
    took.push(performance.now() - began)
    await pause(PAUSE_MS)
  }
}

process.on("message", (message: PlacesUse | "latencies") => {
  if (message === "latencies") {
    void send(took)
    took = []
  } else void begin(message)
})
endWithParent()
