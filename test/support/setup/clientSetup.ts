/** Once per test run: makes the dashboard's client of the API if it is missing or outdated, as the build does. */
import { spawnSync } from "node:child_process"
import { resolve } from "node:path"

export default () => {
  const script = resolve(import.meta.dirname, "../../../tools/client.js")
  const { status } = spawnSync(process.execPath, [script], { stdio: "inherit" })
  if (status !== 0) throw new Error("the client of the API was not made; its errors stand above")
}
