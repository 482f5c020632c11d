/** The settings of exports. Credentials, region and endpoint of S3 are variables of the AWS SDK. */
import type { FeatureSetting } from "../../spine/config/Definitions.ts"

const values = { when_required: "WHEN_REQUIRED", when_supported: "WHEN_SUPPORTED" } as const

export const s3Checksums: FeatureSetting<"WHEN_REQUIRED" | "WHEN_SUPPORTED"> = {
  name: "S3_CHECKSUMS",
  default: "when_required",
  accepts: "`when_required` or `when_supported`",
  meaning:
    "when `events export` sends checksums to S3 storage; `when_supported`: CRC32 with every part, which some storages refuse",
  parse: (value) => values[value.toLowerCase() as keyof typeof values]
}
