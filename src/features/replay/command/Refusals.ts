/** Why a replay or retry job was not made, as the commands say it. */

import { Effect } from "effect"
import { limitsOf } from "../../../spine/domain/Plans.ts"
import { failed } from "../../../terminal/Failure.ts"
import { findAccount } from "../../accounts/command/AccountStores.ts"
import type { ListedWebhook } from "../../webhooks/WebhookChange.ts"
import type { RefusedJob } from "../ReplayStore.ts"

export const noWebhook = (id: string) =>
  failed(`there is no webhook ${id}; \`ledgerhook webhook list\` shows them.`)

export const refusedJob = Effect.fnUntraced(function* (
  refused: RefusedJob,
  { id, account_id: accountId }: Pick<ListedWebhook, "id" | "account_id">
) {
  switch (refused) {
    case "not found":
      return yield* noWebhook(id)
    case "webhook disabled":
      return yield* failed(
        `webhook ${id} is disabled; enable it first: PATCH /v1/webhooks/${id} with status active, and a key of its account.`
      )
    case "limit reached": {
      const { own, plan } = yield* findAccount(accountId)
      return yield* failed(
        `${accountId} may have ${limitsOf(plan, own).concurrentReplays} queued or running replay jobs, and has as many; cancel one or wait until one ends.`
      )
    }
    case "quota used up":
      return yield* failed(
        `the month's delivery quota of ${accountId} is used up; try again when the next month (UTC) begins, or change the plan with \`ledgerhook account set-plan\`.`
      )
  }
})
