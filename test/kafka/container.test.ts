/**
 * Checks the requests to the container engine when tests run Kafka in a container. Many machines have no engine, so a
 * small imitation of Docker's HTTP API answers on a socket. `container.slow.test.ts` uses a real engine.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, beforeEach, describe, it } from "@effect/vitest"
import { vi } from "vitest"
import { startKafka } from "../support/kafkaSetup.ts"
import { hasEngine, startContainer } from "./container.ts"

const ID = "f00d"
const image = /image: (apache\/kafka:\S+)/.exec(readFileSync("docker-compose.yml", "utf8"))![1]!

interface Asked {
  readonly Image: string
  readonly Env: ReadonlyArray<string>
  readonly HostConfig: { readonly PortBindings: object }
}

/** The engine's state: the requests it got, whether it has the image, and the container's output. */
let requests: Array<string> = []
let asked: Asked | undefined
let hasImage = false
let logs = "Kafka Server started"

const bodyOf = async (request: IncomingMessage) => JSON.parse((await request.toArray()).join(""))

const json = (response: ServerResponse, status: number, value: object) =>
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value))

/** One frame of a container's output: stream 1, the length in four bytes, and the text. */
const frame = (line: string): Buffer => {
  const head = Buffer.from([1, 0, 0, 0, 0, 0, 0, 0])
  head.writeUInt32BE(line.length, 4)
  return Buffer.concat([head, Buffer.from(line)])
}

const inspected = () => ({
  Id: ID,
  Name: "/kafka",
  Config: { Hostname: ID, Labels: {} },
  State: { Status: "running", Running: true, StartedAt: "", FinishedAt: "" },
  HostConfig: asked?.HostConfig,
  NetworkSettings: { Ports: asked?.HostConfig.PortBindings, Networks: {} }
})

const engine = createServer(async (request, response) => {
  const [path] = decodeURIComponent(request.url!)
    .replace(/^\/v[\d.]+/, "")
    .split("?")
  const call = `${request.method} ${path}`
  if (!["GET /info", "GET /containers/json", `GET /containers/${ID}/json`].includes(call)) requests.push(call)
  switch (call) {
    case "GET /info":
      return json(response, 200, { OperatingSystem: "none", OSType: "linux" })
    case "GET /containers/json":
      return json(response, 200, [])
    case `GET /images/${image}/json`:
      return hasImage ? json(response, 200, {}) : json(response, 404, { message: `No such image: ${image}` })
    case "POST /images/create":
      return json(response, 500, { message: "no registry can be reached" })
    case "POST /containers/create":
      asked = await bodyOf(request)
      return json(response, 201, { Id: ID })
    case `GET /containers/${ID}/json`:
      return json(response, 200, inspected())
    case `GET /containers/${ID}/logs`:
      return response.end(frame(`${logs}\n`))
    default:
      return response.writeHead(204).end()
  }
})

const folder = mkdtempSync(join(tmpdir(), "ledgerhook-engine-"))

beforeAll(async () => {
  const socket = join(folder, "docker.sock")
  await new Promise<void>((done) => engine.listen(socket, done))
  vi.stubEnv("DOCKER_HOST", `unix://${socket}`)
  vi.stubEnv("TESTCONTAINERS_HOST_OVERRIDE", "127.0.0.1")
  // The helper of testcontainers, which cleans up after killed runs, would be a second container.
  vi.stubEnv("TESTCONTAINERS_RYUK_DISABLED", "true")
})

afterAll(() => {
  vi.unstubAllEnvs()
  engine.close()
  rmSync(folder, { recursive: true })
})

beforeEach(() => {
  requests = []
})

describe("Kafka in a container", () => {
  it("says why when the image cannot be had, and starts nothing", async () => {
    assert.isTrue(await hasEngine())
    const refused = await startContainer().catch(String)
    assert.include(refused, "no registry can be reached")
    assert.deepStrictEqual(requests, [`GET /images/${image}/json`, "POST /images/create"])
  })

  it("is the image of docker-compose.yml on a port that this machine alone can reach, until it is stopped", async () => {
    hasImage = true
    const { brokers, stop } = await startContainer()
    const [host, port] = brokers.split(":")
    assert.strictEqual(host, "127.0.0.1")
    const { Image, HostConfig, Env } = asked!
    assert.strictEqual(Image, image)
    assert.deepStrictEqual(HostConfig.PortBindings, {
      [`${port}/tcp`]: [{ HostIp: "127.0.0.1", HostPort: port }]
    })
    assert.include(Env, `KAFKA_ADVERTISED_LISTENERS=MACHINE://${brokers}`)
    assert.include(Env, "KAFKA_AUTO_CREATE_TOPICS_ENABLE=false")
    await stop()
    assert.deepStrictEqual(requests, [
      `GET /images/${image}/json`,
      "POST /containers/create",
      `POST /containers/${ID}/start`,
      `GET /containers/${ID}/logs`,
      `POST /containers/${ID}/stop`,
      `DELETE /containers/${ID}`
    ])
  })

  it("is removed, with an error, when Kafka ends before it is ready", async () => {
    logs = "Exiting Kafka due to fatal exception"
    const failed = await startContainer().catch(String)
    assert.include(failed, `message "Kafka Server started" was not received`)
    assert.deepStrictEqual(requests.slice(-2), [`POST /containers/${ID}/stop`, `DELETE /containers/${ID}`])
  })
})

describe("the tests' Kafka", () => {
  const running = (brokers: string) => async () => ({ brokers, stop: async () => undefined })
  const none = async () => undefined
  const brokersOf = async (...ways: Parameters<typeof startKafka>) => (await startKafka(...ways))?.brokers

  it("runs in a container, else from its jars, else nowhere", async () => {
    assert.strictEqual(await brokersOf(running("docker"), running("jars")), "docker")
    assert.strictEqual(await brokersOf(none, running("jars")), "jars")
    assert.strictEqual(await brokersOf(none, none), undefined)
  })

  it("runs from its jars, after the reason is printed, when the container fails", async () => {
    const write = vi.spyOn(process.stderr, "write").mockReturnValue(true)
    const fails = () => Promise.reject(new Error("no registry can be reached"))
    assert.strictEqual(await brokersOf(fails, running("jars")), "jars")
    assert.deepStrictEqual(write.mock.calls, [["No Kafka by Docker (no registry can be reached).\n"]])
    write.mockRestore()
  })
})
