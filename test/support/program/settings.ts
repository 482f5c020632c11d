/** Settings for tests: the program's defaults; a test changes them with environment variables, as an operator does. */
import { Layer } from "effect"
import { settingsOfFeatures } from "../../../src/app/Settings.ts"
import {
  type Environment,
  FeatureSettings,
  loadSettings,
  Settings,
  type SettingsShape
} from "../../../src/spine/config/Config.ts"

export const testSettings = (environment: Environment = {}): SettingsShape => {
  const settings = loadSettings(
    {
      PORT: "0",
      XRPL_MAINNET_URLS: "",
      DELIVERY_ALLOW_HTTP: "true",
      DELIVERY_ALLOW_PRIVATE_ADDRESSES: "true",
      SECRETS_KEY: Buffer.alloc(32, 7).toString("base64"),
      ...environment
    },
    settingsOfFeatures
  )
  if ("length" in settings) throw new Error(settings.map(({ message }) => message).join("\n"))
  return settings
}

/** The settings of features, as the command line provides them. */
export const featureSettings = Layer.succeed(FeatureSettings, settingsOfFeatures)

export const settingsLayer = (environment?: Environment) => Layer.succeed(Settings, testSettings(environment))
