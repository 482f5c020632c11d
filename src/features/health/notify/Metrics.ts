/** The metrics of mails. */
import { counter } from "../../../spine/observe/MetricKinds.ts"

export const MailMetrics = {
  mails: counter(
    "ledgerhook_mails_total",
    "Attempts to send a mail to an account. `logged`: there is no server, or no address",
    { outcome: ["sent", "logged", "retrying", "given up"] }
  )
} as const
