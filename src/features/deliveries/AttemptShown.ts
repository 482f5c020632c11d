/** An attempt as the API shows it. Pure. */

import { iso } from "../../spine/words/IsoTime.ts"
import type { AttemptRow } from "./DeliveryQueries.ts"

export const attemptOf = ({ details, error, ...row }: AttemptRow) => ({
  attempt: row.attempt,
  status: row.status,
  response_status: row.response_status,
  response_time_ms: row.response_time_ms,
  response_headers: details?.responseHeaders ?? null,
  response_body: row.response_body,
  connect_ms: details?.connectMs ?? null,
  first_byte_ms: details?.firstByteMs ?? null,
  total_ms: details?.totalMs ?? null,
  batch_id: details?.batchId ?? null,
  ...(error === null ? {} : { error }),
  attempted_at: iso(row.attempted_at)
})
