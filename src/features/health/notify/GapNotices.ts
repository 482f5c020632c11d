/** Notices of gaps: one for each account, network and span of ledgers, and at most one an hour for each network. Pure. */
import type { OpenedGap } from "../../../spine/registry/LostLedgers.ts"
import { counted } from "../../../spine/words/Words.ts"
import type { NewNotice } from "./NoticeStore.ts"
import type { Notice } from "./Notices.ts"

const HOUR_MS = 3_600_000
/** Webhooks that a notice names. */
const NAMED = 50

export const gapNotices = (
  opened: ReadonlyArray<OpenedGap>,
  nowMs: number
): ReadonlyArray<NewNotice & Notice> =>
  Array.from(
    Map.groupBy(opened, ({ accountId, network }) => `${accountId}/${network}`),
    ([account, gaps]) => {
      const { accountId, network } = gaps[0]!
      const from = Math.min(...gaps.map((gap) => gap.from))
      const to = Math.max(...gaps.map((gap) => gap.to))
      const named = gaps.slice(0, NAMED).map(({ webhookId }) => webhookId)
      return {
        cause: `webhook.gap/${account}/${Math.floor(nowMs / HOUR_MS)}`,
        accountId,
        type: "webhook.gap" as const,
        text: `The service has lost the events of ledgers ${from} to ${to} of ${network} before ${counted(gaps.length, "webhook", "webhooks")} got them.\n${named.map((id) => `• ${id}`).join("\n")}`,
        data: {
          account_id: accountId,
          reason: "lost",
          network,
          from_ledger: from,
          to_ledger: to,
          webhooks: gaps.length,
          webhook_ids: named
        }
      }
    }
  )
