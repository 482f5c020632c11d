/**
 * Records of `webhooks.config` that a process cannot read become dead letters, once each, however often a process
 * starts and reads the topic again. The text stays in the log, because it may contain header values and secrets: the
 * source says where.
 */
import { Effect } from "effect"
import type { Unreadable } from "../log/CompactedView.ts"
import { sourceOf } from "../log/Log.ts"
import { type DeadLetterStage, makeDeadLetters } from "../store/DeadLetters.ts"

export const unreadableToDeadLetters = (stage: DeadLetterStage) =>
  Effect.map(
    makeDeadLetters,
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
