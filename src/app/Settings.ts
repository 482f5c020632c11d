/** Every setting: those of the spine and those of features, in the order of `.env.example`. */
import { settingsTableOf } from "../spine/config/Config.ts"
import { features } from "./features.ts"

export const settingsOfFeatures = features.flatMap(({ settings }) => settings)

export const settingsTable = settingsTableOf(settingsOfFeatures)
