/** Rules of the URL for notices that depend on the settings, or several fields. Pure. */

import { faultOf } from "../../http/Errors.ts"
import type { RuleContext } from "../../http/RequestRules.ts"
import { endpointProblem } from "../../spine/domain/EndpointUrl.ts"

export const noticeUrlRules = (
  given: { readonly url?: string; readonly format?: string; readonly secret?: string },
  { settings }: RuleContext
) => {
  const problem = given.url === undefined ? undefined : endpointProblem(given.url, settings)
  return [
    problem === undefined ? undefined : faultOf("url", problem),
    given.format === "slack" && given.secret !== undefined
      ? faultOf("secret", "must not be set if format is slack, which has no signature")
      : undefined
  ]
}
