/** Which webhooks need attention, as a sentence. Pure. */
import type { WebhookCounts } from "../../../api/ledgerhook.ts"
import { plural } from "../../../words/format.ts"

/** "2 webhooks fail, 1 is paused."; empty if none does. */
export const troubleOf = ({ disabled, failing, paused, waiting }: WebhookCounts["states"]): string => {
  const parts = [
    [failing, "fails", "fail"],
    [waiting, "is waiting", "are waiting"],
    [paused, "is paused", "are paused"],
    [disabled, "is disabled", "are disabled"]
  ] as const
  const [first, ...others] = parts.filter(([some]) => some > 0)
  if (first === undefined) return ""
  return [
    plural(first[0], `webhook ${first[1]}`, `webhooks ${first[2]}`),
    ...others.map(([some, one, many]) => plural(some, one, many))
  ]
    .join(", ")
    .concat(".")
}
