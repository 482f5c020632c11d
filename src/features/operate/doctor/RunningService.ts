/**
 * `doctor` finds the service that uses the embedded database: its process, and the settings that it was started with.
 * So the ports of that service are checked, and other settings than those of this command are named. Linux shows the
 * environment of a process to its user only; on macOS no service is found. The values are compared and never shown.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { parseEnv } from "node:util"
import {
  type Environment,
  loadSettings,
  type OfFeatures,
  type SettingsShape,
  settingsTableOf
} from "../../../spine/config/Config.ts"
import { serviceHolding } from "../../../spine/store/embedded/Holder.ts"
import { workingFolderOf } from "../../../spine/store/embedded/Processes.ts"

export interface RunningService {
  readonly pid: number
  readonly settings: SettingsShape
  /** The names of settings that differ from those of this command. */
  readonly others: ReadonlyArray<string>
}

const textOf = (path: string): string | undefined => {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return undefined
  }
}

/** The environment of a process as main.ts reads it; undefined if this user may not see it, or not on this system. */
const environmentOf = (pid: number): Environment | undefined => {
  const own = textOf(`/proc/${pid}/environ`)
  const folder = workingFolderOf(pid)
  if (own === undefined || folder === undefined) return undefined
  const entries = own.split("\0").map((entry) => {
    const at = entry.indexOf("=")
    return [entry.slice(0, at), entry.slice(at + 1)] as const
  })
  const dotEnv = textOf(join(folder, ".env"))
  return { ...(dotEnv === undefined ? {} : parseEnv(dotEnv)), ...Object.fromEntries(entries) }
}

/** Undefined if no service is found, for example because the database is not embedded. */
export const runningService = (
  environment: Environment,
  { databaseUrl, dataDir }: SettingsShape,
  ofFeatures: OfFeatures
): RunningService | undefined => {
  const pid = databaseUrl === undefined ? serviceHolding(dataDir) : undefined
  const its = pid === undefined ? undefined : environmentOf(pid)
  if (pid === undefined || its === undefined) return undefined
  const settings = loadSettings(its, ofFeatures)
  if (!("port" in settings)) return undefined
  const given = (of: Environment, name: string) => of[name]?.trim() ?? ""
  const others = settingsTableOf(ofFeatures)
    .map(({ name }) => name)
    // The folder is the same. Its name may be relative to another one.
    .filter((name) => name !== "DATA_DIR" && given(its, name) !== given(environment, name))
    .sort()
  return { pid, settings, others }
}
