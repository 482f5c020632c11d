/** The overview's headline: the state of the account's webhooks. Pure. */
import type { WebhookCounts } from "../../api/ledgerhook.ts"
import { count, plural, totalOf } from "../../words/format.ts"

type Counts = WebhookCounts["states"]
type State = keyof Counts

const are = (some: number, state: string) => `${count(some)} ${some === 1 ? "is" : "are"} ${state}`

/** "2 of 9 webhooks are failing", "All 9 webhooks are healthy". */
export const headlineOf = (states: Counts): string => {
  const total = totalOf(states)
  if (total === 0) return "There is no webhook yet"
  const worst = (["failing", "disabled", "waiting"] as const).find((state) => states[state] > 0)
  if (worst !== undefined) {
    const some = states[worst]
    if (some === total)
      return total === 1 ? `The webhook is ${worst}` : `All ${count(total)} webhooks are ${worst}`
    return `${count(some)} of ${count(total)} webhooks ${some === 1 ? "is" : "are"} ${worst}`
  }
  if (states.new === total) return `${plural(total, "webhook waits", "webhooks wait")} for a first event`
  const calm = total === 1 ? "The webhook" : `All ${count(total)} webhooks`
  if (states.healthy === total) return `${calm} ${total === 1 ? "is" : "are"} healthy`
  return "No webhook fails"
}

/** Whether nothing needs attention. */
export const isCalm = ({ disabled, failing, waiting }: Counts): boolean => failing + disabled + waiting === 0

/** What the headline leaves out: "5 webhooks are healthy, 1 is waiting." Empty if there is nothing. */
export const othersOf = (states: Counts): string => {
  const headline = (["failing", "disabled", "waiting"] as const).find((state) => states[state] > 0)
  const rest = (Object.keys(states) as ReadonlyArray<State>).filter(
    (state) => state !== headline && states[state] > 0
  )
  if (rest.length === 0 || (rest.length === 1 && isCalm(states))) return ""
  const [first, ...others] = rest.toSorted((a, b) => states[b] - states[a])
  const some = states[first!]
  return [
    `${plural(some, "webhook is", "webhooks are")} ${first}`,
    ...others.map((state) => are(states[state], state))
  ]
    .join(", ")
    .concat(".")
}
