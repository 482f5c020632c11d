/** The headline of the list of deliveries: what waits, and for whom. Pure. */
import type { ListedWebhook } from "../../../api/ledgerhook.ts"
import { count, plural } from "../../../words/format.ts"

type Waiting = Pick<ListedWebhook, "description" | "health" | "id" | "stats" | "url">

const nameOf = ({ description, url }: Waiting) => description ?? url
const waitingFor = ({ stats }: Waiting) => stats?.waiting ?? 0

/** Webhooks that a note names. */
const NAMED = 3

const isHeld = ({ health }: Waiting) => health.state === "paused"

export interface Headline {
  readonly title: string
  /** Empty: there is nothing to add. */
  readonly note: string
}

/** `webhooks` are those that need attention. `only`: the list is of this webhook. `failed` deliveries are of `period`. */
export const headlineOf = (
  webhooks: ReadonlyArray<Waiting>,
  only: { readonly id: string; readonly name: string } | undefined,
  failed: number,
  period: string
): Headline => {
  const mine = webhooks.filter(({ id }) => only === undefined || id === only.id)
  const waiting = mine.filter((webhook) => !isHeld(webhook) && waitingFor(webhook) > 0)
  const total = waiting.reduce((sum, webhook) => sum + waitingFor(webhook), 0)
  const held = mine.filter(isHeld).reduce((sum, webhook) => sum + waitingFor(webhook), 0)
  const heldNote =
    held === 0
      ? ""
      : only === undefined
        ? `Paused webhooks hold ${count(held)} more.`
        : `The webhook is paused and holds ${count(held)}.`
  const to = only === undefined ? "" : ` to ${only.name}`
  if (total === 0) {
    const title =
      failed === 0
        ? `Deliveries${to}`
        : `${plural(failed, "delivery", "deliveries")}${to} failed in ${period}`
    return { title, note: heldNote === "" ? "nothing waits" : heldNote }
  }
  const named = waiting
    .slice(0, NAMED)
    .map((webhook) => `${count(waitingFor(webhook))} for ${nameOf(webhook)}`)
  const rest = waiting.slice(NAMED).reduce((sum, webhook) => sum + waitingFor(webhook), 0)
  const whose =
    only !== undefined
      ? []
      : [[...named, ...(rest > 0 ? [`${count(rest)} for others`] : [])].join(", ").concat(".")]
  return {
    title: `${plural(total, "delivery waits", "deliveries wait")}${only === undefined ? "" : ` for ${only.name}`}`,
    note: [...whose, heldNote].filter((part) => part !== "").join(" ")
  }
}
