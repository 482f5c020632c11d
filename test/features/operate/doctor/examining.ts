/** Doctor's examination under these settings, as the command line runs it: with the settings of all features. */
import { Effect } from "effect"
import { settingsOfFeatures } from "../../../../src/app/Settings.ts"
import { examine } from "../../../../src/features/operate/doctor/DoctorChecks.ts"
import { FeatureSettings } from "../../../../src/spine/config/Config.ts"

export const examineHere = (environment: Parameters<typeof examine>[0]) =>
  Effect.provideService(examine(environment), FeatureSettings, settingsOfFeatures)
