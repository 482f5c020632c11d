/**
 * Records of `webhooks.config` that a process cannot read go to the quarantine, once each, however often a process
 * starts and reads the topic again. The text stays in the log, because it may contain header values and secrets: the
 * source says where.
 */
import { Effect } from "effect"
import type { Unreadable } from "../log/CompactedView.ts"
import { sourceOf } from "../log/EventLog.ts"
import { makeQuarantine, type QuarantineStage } from "../storage/Quarantine.ts"

export const quarantineUnreadable = (stage: QuarantineStage) =>
  Effect.map(
    makeQuarantine,
    ({ put }) =>
      (unreadable: ReadonlyArray<Unreadable>) =>
        put(
          stage,
          unreadable.map(({ record, reason }) => ({
            source: sourceOf(record),
            text: "",
            reason: `webhook ${record.key}: ${reason}`
          }))
        )
  )
