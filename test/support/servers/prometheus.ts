/** A real Prometheus, of Debian's package, with the alerts that operators take. Its state is read through its API. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { RULES } from "../../features/operate/operationFiles.ts"
import { freePort } from "../../kafka/javaServer.ts"
import { waitUntil } from "../http/apiClient.ts"

import { startProcess } from "../program/serviceProcess.ts"

const alertsOf = (url: string) =>
  Effect.tryPromise(async () => {
    const response = await fetch(`${url}/api/v1/alerts`)
    // Prometheus' documented form.
    const { data } = (await response.json()) as {
      readonly data: { readonly alerts: ReadonlyArray<{ labels: { alertname: string }; state: string }> }
    }
    return data.alerts
  })

/** Scrapes the process at `target` every second. Each alert fires after 2 s instead of minutes. */
export const startPrometheus = Effect.fnUntraced(function* (folder: string, target: string) {
  mkdirSync(folder)
  const rules = readFileSync(RULES, "utf8").replaceAll(/^( +for:) .*$/gm, "$1 2s")
  writeFileSync(join(folder, "alerts.yml"), rules)
  const settings = {
    global: { scrape_interval: "1s", evaluation_interval: "1s" },
    rule_files: ["alerts.yml"],
    scrape_configs: [{ job_name: "ledgerhook", static_configs: [{ targets: [target] }] }]
  }
  // YAML contains JSON.
  writeFileSync(join(folder, "prometheus.yml"), JSON.stringify(settings))
  const address = `127.0.0.1:${yield* Effect.promise(freePort)}`
  yield* startProcess({}, /Server is ready to receive web requests/, "prometheus", [
    `--config.file=${join(folder, "prometheus.yml")}`,
    `--storage.tsdb.path=${join(folder, "data")}`,
    `--web.listen-address=${address}`
  ])
  const isFiring = (name: string) =>
    Effect.map(alertsOf(`http://${address}`), (alerts) =>
      alerts.some(({ labels, state }) => labels.alertname === name && state === "firing")
    )
  return {
    fires: (name: string) => waitUntil(isFiring(name), "30 seconds"),
    clears: (name: string) =>
      waitUntil(
        Effect.map(isFiring(name), (firing) => !firing),
        "60 seconds"
      )
  }
})
