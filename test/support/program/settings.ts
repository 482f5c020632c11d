/**
 * Settings for tests: the program's defaults; a test changes them with environment variables, as an operator does. They
 * know no feature, and answer features that ask for a setting of their own.
 */
import { Layer } from "effect"
import {
  type Environment,
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
    []
  )
  if ("length" in settings) throw new Error(settings.map(({ message }) => message).join("\n"))
  return settings
}

export const settingsLayer = (environment?: Environment) => Layer.succeed(Settings, testSettings(environment))
