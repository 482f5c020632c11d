/** Accepted and refused values of every setting: each refusal is one helpful sentence without secrets. */
import { assert, describe, it } from "@effect/vitest"
import { settingsOfFeatures, settingsTable } from "../../src/app/Settings.ts"
import {
  type Environment,
  loadSettings,
  type SettingsShape,
  watchedNetworks
} from "../../src/spine/config/Config.ts"
import { cases, server } from "../support/tree/settingCases.ts"

const load = (environment: Environment): SettingsShape => {
  const settings = loadSettings(environment, settingsOfFeatures)
  if (!("port" in settings)) throw new Error(settings.map(({ message }) => message).join("\n"))
  return settings
}

const problems = (environment: Environment): ReadonlyArray<string> => {
  const settings = loadSettings(environment, settingsOfFeatures)
  return "port" in settings ? [] : settings.map(({ message }) => message)
}
const refusedNames = (environment: Environment) => problems(environment).map((text) => text.split(":")[0])

describe("settings", () => {
  for (const { name } of settingsTable) {
    const { good, bad, value } = cases[name]!
    for (const [text, expected] of good) {
      it(`${name} takes ${JSON.stringify(text)}`, () => {
        assert.deepStrictEqual(value(load({ ...server, [name]: text })), expected)
      })
    }
    for (const text of bad) {
      it(`${name} refuses ${JSON.stringify(text)} in one sentence that names it`, () => {
        const said = problems({ ...server, [name]: text })
        assert.strictEqual(said.length, 1)
        assert.match(said[0]!, new RegExp(`^${name}: .+; accepted: .+\\.$`))
        assert.notInclude(said[0]!, "\n")
      })
    }
  }

  it("are all reported at once", () => {
    const wrong = { PORT: "x", ROLES: "y", LOG_LEVEL: "z" }
    assert.deepStrictEqual(refusedNames(wrong), Object.keys(wrong))
  })

  it("show the wrong value as it was given, shortened", () => {
    assert.match(problems({ PORT: "70000" })[0]!, /^PORT: "70000" is not valid; /)
    assert.isBelow(problems({ PORT: "9".repeat(10_000) })[0]!.length, 200)
  })

  it("never show what may be secret", () => {
    const said = problems({
      DATABASE_URL: "mysql://u:hunter2@host/db",
      ADMIN_KEY: "svc_live_hunter2",
      SECRETS_KEY: "hunter2",
      SMTP_URL: "smtp://u:hunter2%@host",
      XRPL_MAINNET_URLS: "https://u:hunter2@host/hunter2?key=hunter2,wss://ok/hunter2"
    })
    assert.strictEqual(said.length, 5)
    assert.notInclude(said.join("\n"), "hunter2")
  })

  it("use the simulated ledger for test networks without servers, and for no others", () => {
    assert.deepStrictEqual(load({}).simulated, ["testnet", "devnet"])
    const settings = load({ XRPL_MAINNET_URLS: "", XRPL_TESTNET_URLS: "ws://127.0.0.1:6006" })
    assert.deepStrictEqual(settings.simulated, ["devnet"])
    assert.deepStrictEqual(watchedNetworks(settings), ["testnet", "devnet"])
  })

  it("have defaults that are acceptable", () => {
    const { networks, dataDir } = load({})
    assert.deepStrictEqual([networks.map(({ network: id }) => id), dataDir], [["mainnet"], "./data"])
  })

  it("require a cluster if a schema registry is set, and never show the registry's credentials", () => {
    const url = "http://user:hunter2@127.0.0.1:8081"
    assert.deepStrictEqual(problems({ SCHEMA_REGISTRY_URL: url }), [
      "SCHEMA_REGISTRY_URL: is used only with Kafka; set KAFKA_BROKERS too, or unset this."
    ])
    assert.match(
      problems({ KAFKA_BROKERS: "nonsense", SCHEMA_REGISTRY_URL: url }).join(),
      /^KAFKA_BROKERS: [^,]+$/
    )
    const wrong = problems({ ...server, SCHEMA_REGISTRY_URL: "ftp://user:hunter2@a.example" }).join()
    assert.match(wrong, /^SCHEMA_REGISTRY_URL: its value is not valid; accepted: an http/)
    assert.notInclude(wrong, "hunter2")
  })

  it("of Kafka are refused if they are wrong, also if no cluster is set", () => {
    const wrong = { KAFKA_SSL: "yes", KAFKA_CLIENT_ID: "a b", KAFKA_TOPIC_PREFIX: "a/b" }
    assert.deepStrictEqual(refusedNames(wrong), Object.keys(wrong))
  })

  it("require an OPS_PORT other than PORT if the process serves the API", () => {
    assert.match(problems({ PORT: "9000", OPS_PORT: "9000" })[0]!, /^OPS_PORT: is the same as PORT/)
    assert.deepStrictEqual(problems({ PORT: "9000", OPS_PORT: "9000", ROLES: "delay" }), [])
    assert.deepStrictEqual(problems({ PORT: "0", OPS_PORT: "0" }), [])
  })

  it("require a user and a password if Kafka requires a login", () => {
    const kafka = { KAFKA_BROKERS: "127.0.0.1:9092", KAFKA_SASL_MECHANISM: "PLAIN" }
    assert.match(problems(kafka)[0]!, /^KAFKA_USERNAME: is required with KAFKA_SASL_MECHANISM/)
    assert.match(problems({ ...kafka, KAFKA_USERNAME: "u" })[0]!, /^KAFKA_PASSWORD: is required/)
    const oauth = { ...kafka, KAFKA_SASL_MECHANISM: "OAUTHBEARER", KAFKA_USERNAME: "u", KAFKA_PASSWORD: "p" }
    assert.match(problems(oauth)[0]!, /^KAFKA_OAUTH_TOKEN_URL: is required with OAUTHBEARER/)
  })

  it("take a certificate for Kafka only with its key, and with TLS", () => {
    const kafka = { KAFKA_BROKERS: "127.0.0.1:9093", KAFKA_SSL: "true" }
    const files = { KAFKA_SSL_CERT: "/cert.pem", KAFKA_SSL_KEY: "/key.pem" }
    assert.deepStrictEqual(load({ ...kafka, ...files }).kafka?.certificate, {
      certFile: "/cert.pem",
      keyFile: "/key.pem"
    })
    assert.match(
      problems({ ...kafka, KAFKA_SSL_CERT: "/cert.pem" })[0]!,
      /^KAFKA_SSL_CERT: needs KAFKA_SSL_KEY too/
    )
    assert.match(
      problems({ ...kafka, KAFKA_SSL_KEY: "/key.pem" })[0]!,
      /^KAFKA_SSL_KEY: needs KAFKA_SSL_CERT too/
    )
    assert.match(
      problems({ ...kafka, ...files, KAFKA_SSL: "false" })[0]!,
      /^KAFKA_SSL_CERT: is used only with/
    )
  })
})
