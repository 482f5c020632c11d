/** Variables that were meant as settings are named, and those of other programs are left alone. */
import { tmpdir } from "node:os"
import { assert, describe, it } from "@effect/vitest"
import { settingsTable } from "../../src/app/Settings.ts"
import { ownWordsOf, unknownSettings } from "../../src/spine/config/UnknownSettings.ts"
import { runProgram } from "../support/program/program.ts"

const said = (...names: ReadonlyArray<string>) =>
  unknownSettings(Object.fromEntries(names.map((name) => [name, "x"])), settingsTable).map(
    ({ message }) => message
  )

/** What Kubernetes sets in every pod for a service of this name. */
const serviceLinks = (service: string) =>
  [
    "SERVICE_HOST",
    "SERVICE_PORT",
    "SERVICE_PORT_HTTP",
    "SERVICE_PORT_TCP_KAFKA",
    "PORT",
    "PORT_9092_TCP",
    "PORT_9092_TCP_PROTO",
    "PORT_9092_TCP_PORT",
    "PORT_9092_TCP_ADDR",
    "PORT_53_UDP_ADDR"
  ].map((end) => `${service}_${end}`)

describe("unknown settings", () => {
  it.each([
    ["DELIVERY_TIMEOTU", "DELIVERY_TIMEOUT"],
    ["DELIVERY_ALLOW_HTPP", "DELIVERY_ALLOW_HTTP"],
    ["XRPL_MAINET_URLS", "XRPL_MAINNET_URLS"],
    ["XRPL_MAINNET_URL", "XRPL_MAINNET_URLS"],
    ["RETENTION_EVENT", "RETENTION_EVENTS"],
    ["KAFKA_BROKER", "KAFKA_BROKERS"],
    ["KAFKA_USER_NAME", "KAFKA_USERNAME"],
    ["OTEL_EXPORTER_OTLP_ENDPONT", "OTEL_EXPORTER_OTLP_ENDPOINT"],
    ["LOG_LEVL", "LOG_LEVEL"],
    ["DATABASE_URI", "DATABASE_URL"]
  ])("%s: the nearest setting is %s", (name, nearest) =>
    assert.deepStrictEqual(said(name), [`${name} is not a setting; did you mean ${nearest}?`])
  )

  it("are named without a suggestion if they begin with a word that is ours alone", () => {
    assert.deepStrictEqual(ownWordsOf(settingsTable), ["XRPL", "DELIVERY", "RETENTION"])
    assert.deepStrictEqual(said("XRPL_NETWORKS", "DELIVERY_RETRIES", "RETENTION_BACKUPS"), [
      "XRPL_NETWORKS is not a setting.",
      "DELIVERY_RETRIES is not a setting.",
      "RETENTION_BACKUPS is not a setting."
    ])
  })

  it("do not include what Kubernetes sets for services, whatever their names", () => {
    const services = [
      "KAFKA",
      "LEDGERHOOK",
      "LEDGERHOOK_DELIVER",
      "DELIVERY",
      "DELIVERY_API",
      "XRPL",
      "OPS",
      "MAIL"
    ]
    assert.deepStrictEqual(said(...services.flatMap(serviceLinks)), [])
  })

  it("do not include variables of other programs", () => {
    assert.deepStrictEqual(
      said(
        ...[
          "PORTS",
          "HOSTNAME",
          "HOST_IP",
          "ROLE",
          "PATH",
          "HOME",
          "PGHOST",
          "PGPASSWORD",
          "NODE_ENV",
          "NODE_OPTIONS"
        ],
        ...["KAFKA_BROKER_ID", "KAFKA_NODE_ID", "KAFKA_HEAP_OPTS", "KAFKA_CFG_LISTENERS", "KAFKA_LOG_DIRS"],
        ...["KAFKA_SASL_ENABLED_MECHANISMS", "KAFKA_CLIENT_USERS", "KAFKA_TLS_TYPE", "KAFKA_OPTS"],
        ...[
          "OTEL_SERVICE_NAME",
          "OTEL_RESOURCE_ATTRIBUTES",
          "OTEL_EXPORTER_OTLP_PROTOCOL",
          "OTEL_TRACES_EXPORTER"
        ],
        ...[
          "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
          "OTEL_LOG_LEVEL",
          "LOG_FILE",
          "LOG_DIR",
          "DATA_SOURCE",
          "DATA_PATH"
        ],
        ...["SMTP_HOST", "SMTP_SSL", "SMTP_USER", "MAIL_HOST", "ADMIN_PASSWORD", "ADMIN_USER", "SECRETS_DIR"],
        ...["DATABASE_HOST", "DATABASE_PASSWORD", "SCHEMA_REGISTRY_HOST_NAME", "SCHEMA_REGISTRY_LISTENERS"],
        ...["DISABLE_TELEMETRY", "OPS_TEAM", "COMPOSE_PROJECT_NAME", "LEDGERHOOK_URL", "LEDGERHOOK_API_KEY"]
      ),
      []
    )
  })

  it("are named when the service starts", () => {
    const environment = { DELIVERY_TIMEOTU: "5s", XRPL_MAINNET_URLS: "", DATA_DIR: "/dev/null/data" }
    const { stderr } = runProgram(["start"], { cwd: tmpdir(), environment })
    assert.match(stderr, /DELIVERY_TIMEOTU is not a setting; did you mean DELIVERY_TIMEOUT\?/)
  })

  it("do not include any setting", () => {
    assert.deepStrictEqual(said(...settingsTable.map(({ name }) => name)), [])
  })
})
