/** The rule of a new API key that depends on the time. Pure. */

import { faultOf } from "../../http/Errors.ts"
import type { RuleContext } from "../../http/RequestRules.ts"
import { parseIsoTime } from "../../spine/words/IsoTime.ts"

export const newKeyRules = (
  { expires_at }: { readonly expires_at?: string | null },
  { nowMs }: Pick<RuleContext, "nowMs">
) => {
  const expiresAt = typeof expires_at === "string" ? parseIsoTime(expires_at) : undefined
  return [
    expiresAt !== undefined && expiresAt <= nowMs ? faultOf("expires_at", "must be in the future") : undefined
  ]
}
