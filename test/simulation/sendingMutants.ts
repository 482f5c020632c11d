/** Wrong variants of what deliver sends, and when (mutants.ts). */
import type { Mutant } from "./treeEdit.ts"

export const sendingMutants: ReadonlyArray<Mutant> = [
  {
    name: "a webhook may start one request after another",
    caughtBy: "ratesKept",
    part: "deliver",
    find: "Math.max(queue.paidUntil, nowMs) + $each",
    wrong: "Math.max(queue.paidUntil, nowMs)"
  },
  {
    name: "a pause allows more than the requests of one second",
    caughtBy: "ratesKept",
    part: "deliver",
    find: "Math.max(queue.paidUntil, nowMs) + $each",
    wrong: "(queue.paidUntil || nowMs) + $each"
  },
  {
    name: "a webhook's concurrency limit is exceeded by one",
    caughtBy: "windowsKept",
    part: "deliver",
    find: "$queue.inFlight >= ($queue.lacking ? 1 : $most)",
    wrong: "$queue.inFlight > ($queue.lacking ? 1 : $most)"
  },
  {
    name: "attempts of an account on hold begin",
    caughtBy: "holdsKept",
    part: "deliver",
    find: "permissionUnder(holds.get(account_id), network)",
    wrong: "permissionUnder(undefined, network)"
  },
  {
    name: "attempts of a paused webhook begin",
    caughtBy: "pausesKept",
    part: "deliver",
    find: 'paused === true && permission === "all"',
    wrong: 'paused === true && permission === "none"'
  },
  {
    name: "a lane does not hear of holds",
    caughtBy: "settles",
    part: "deliver",
    find: "registry.get(webhookId)?.config.account_id === accountId",
    wrong: "false"
  }
]
