/** The settings of the dashboard. */
import type { FeatureSetting } from "../../spine/config/Definitions.ts"
import { list } from "../../spine/config/Values.ts"

/** An origin as browsers write it, so that it can stand in a content security policy. */
const origins = (value: string) => {
  const all = list(value)
  return all.every((one) => /^https?:\/\/[\w.:[\]-]+$/.test(one) && URL.parse(one)?.origin === one)
    ? all
    : undefined
}

export const frameAncestors: FeatureSetting<ReadonlyArray<string>> = {
  name: "DASHBOARD_FRAME_ANCESTORS",
  default: "",
  accepts: "a comma-separated list of origins, such as `https://portal.example.com`",
  meaning:
    "origins whose pages may show the dashboard in a frame; signing in works there only if they are of the same site as the dashboard; unset: none",
  parse: origins
}
