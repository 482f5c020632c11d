/** Statistics as the API shows them. Pure. */

import { ratio } from "../../http/Ratio.ts"
import { Limits } from "../../spine/config/Limits.ts"
import { iso } from "../../spine/words/IsoTime.ts"
import type { AttemptCounts, WebhookStats } from "./DeliveryStats.ts"
import type { LastAnswer } from "./LastAnswers.ts"

export const attemptsShown = ({
  first_delivered,
  first_failed,
  later_delivered,
  later_failed
}: AttemptCounts) => {
  const [firsts, failed] = [first_delivered + first_failed, first_failed + later_failed]
  return {
    attempts: first_delivered + later_delivered + failed,
    attempts_failed: failed,
    first_attempt_success_rate: firsts === 0 ? null : ratio(first_delivered * 100, firsts)
  }
}

/** Of a webhook in a list. Without `stats` it has neither deliveries nor attempts. */
export const webhookStatsShown = (
  stats: WebhookStats | undefined,
  waiting: number,
  last: LastAnswer | undefined
) => {
  const { bars = [], delivered = 0, failed = 0, p50Ms = null, p99Ms = null, pending = 0 } = stats ?? {}
  return {
    delivered,
    failed,
    pending,
    success_rate: ratio(delivered * 100, delivered + failed),
    first_attempt_success_rate:
      stats === undefined ? null : attemptsShown(stats.attempts).first_attempt_success_rate,
    p50_ms: p50Ms,
    p99_ms: p99Ms,
    // Of many only the first are counted; those of the period are more.
    waiting: waiting < Limits.statementRows ? waiting : Math.max(waiting, pending),
    attempts: bars,
    last_answer:
      last === undefined
        ? null
        : { at: iso(last.at), response_status: last.response_status, error: last.error }
  }
}
