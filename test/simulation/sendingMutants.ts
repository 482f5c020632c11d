/** Wrong variants of what deliver sends, and when (mutants.ts). */
import type { Mutant } from "./treeEdit.ts"

export const sendingMutants: ReadonlyArray<Mutant> = [
  {
    name: "a webhook may start one request after another",
    caughtBy: "ratesKept",
    part: "spine/deliver",
    find: "Math.max(queue.paidUntil, nowMs) + $each",
    wrong: "Math.max(queue.paidUntil, nowMs)"
  },
  {
    name: "a pause allows more than the requests of one second",
    caughtBy: "ratesKept",
    part: "spine/deliver",
    find: "Math.max(queue.paidUntil, nowMs) + $each",
    wrong: "(queue.paidUntil || nowMs) + $each"
  },
  {
    name: "a webhook's concurrency limit is exceeded by one",
    caughtBy: "windowsKept",
    part: "spine/deliver",
    find: "$queue.inFlight >= ($queue.lacking ? 1 : $most)",
    wrong: "$queue.inFlight > ($queue.lacking ? 1 : $most)"
  },
  {
    name: "attempts of an account on hold begin",
    caughtBy: "holdsKept",
    part: "spine/deliver",
    find: "permissionUnder(holds.get(account_id), network)",
    wrong: "permissionUnder(undefined, network)"
  },
  {
    name: "attempts of a paused webhook begin",
    caughtBy: "pausesKept",
    part: "spine/deliver",
    find: 'paused === true && permission === "all"',
    wrong: 'paused === true && permission === "none"'
  },
  {
    name: "a lane does not hear of holds",
    caughtBy: "settles",
    part: "spine/deliver",
    find: "registry.get(webhookId)?.config.account_id === accountId",
    wrong: "false"
  },
  {
    name: "in strict order, requests start beside one another",
    caughtBy: "windowsKept",
    part: "spine/deliver",
    find: 'ordering === "strict" ? 1 : max_in_flight',
    wrong: 'ordering === "strict" ? 2 : max_in_flight'
  },
  {
    name: "in strict order, a retry waits in a delay topic",
    caughtBy: "strictOrderKept",
    part: "spine/deliver",
    find: 'ordering === "strict" && nextDelayMs !== null && work.isTest !== true',
    wrong: 'ordering === "strict" && nextDelayMs === null && work.isTest !== true'
  },
  {
    name: "in strict order, the next request starts before a failure is recorded",
    caughtBy: "strictOrderKept",
    part: "spine/deliver",
    find: "queue[message.holds].willWait = true",
    wrong: "queue[message.holds].willWait = false"
  },
  {
    name: "in strict order, a retry that waits for its time holds nothing back",
    caughtBy: "strictOrderKept",
    part: "spine/deliver",
    find: "works.slice(0, held?.place)",
    wrong: "works.filter((_, i) => i !== held?.place)"
  },
  {
    name: "a lane that waits for a retry is not woken",
    caughtBy: "settles",
    part: "spine/deliver",
    find: 'step.commands.push({ kind: "wake", webhookId, afterMs: waitMs, message: "due" })',
    wrong: ""
  },
  {
    name: "in strict order, a retry that an earlier owner recorded is not found",
    caughtBy: "settles",
    part: "spine/deliver",
    find: "works.some(({ mayBeHandled }) => mayBeHandled === true)",
    wrong: "works.some(({ mayBeHandled }) => mayBeHandled === undefined)"
  }
]
