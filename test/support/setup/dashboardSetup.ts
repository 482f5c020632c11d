/** Once per run of the browser tests: builds the dashboard if its sources have changed, as `npm start` does. */
import { spawnSync } from "node:child_process"
import { resolve } from "node:path"

export default () => {
  const script = resolve(import.meta.dirname, "../../../tools/dashboard.js")
  const { status } = spawnSync(process.execPath, [script], { stdio: "inherit" })
  if (status !== 0) throw new Error("the dashboard was not built; its errors stand above")
}
