/** The order of the list of webhooks, as it stands in the address. Pure. */
import type { ListedWebhook } from "../../../api/ledgerhook.ts"

type Value = number | string | null | undefined

/** What each column is sorted by, and which end comes first at the first click. */
const columns = {
  name: { of: ({ description, url }: ListedWebhook): Value => description ?? url, first: "ascending" },
  first: { of: ({ stats }) => stats?.first_attempt_success_rate, first: "ascending" },
  p50: { of: ({ stats }) => stats?.p50_ms, first: "descending" },
  p99: { of: ({ stats }) => stats?.p99_ms, first: "descending" },
  waiting: { of: ({ stats }) => stats?.waiting, first: "descending" },
  answer: { of: ({ stats }) => stats?.last_answer?.at, first: "descending" }
} as const satisfies Record<
  string,
  { readonly of: (webhook: ListedWebhook) => Value; readonly first: "ascending" | "descending" }
>

export type Column = keyof typeof columns
export type Direction = "ascending" | "descending"
export interface Order {
  readonly column: Column
  readonly direction: Direction
}

export const sortable = Object.keys(columns) as ReadonlyArray<Column>

/** `waiting` is ascending, `-waiting` descending; undefined: by health, as the service lists them. */
export const orderIn = (text: unknown): Order | undefined => {
  const column = sortable.find((one) => text === one || text === `-${one}`)
  if (column === undefined) return undefined
  return { column, direction: text === column ? "ascending" : "descending" }
}

/** The reverse of `orderIn`. */
export const orderText = ({ column, direction }: Order): string =>
  direction === "ascending" ? column : `-${column}`

/** After a click on a column: its first direction, then the other one. */
export const clickedOrder = (order: Order | undefined, column: Column): Order => {
  const { first } = columns[column]
  const isSame = order?.column === column && order.direction === first
  return { column, direction: isSame ? (first === "ascending" ? "descending" : "ascending") : first }
}

/** Webhooks without a value come last in both directions. */
export const ordered = (
  webhooks: ReadonlyArray<ListedWebhook>,
  order: Order | undefined
): ReadonlyArray<ListedWebhook> => {
  if (order === undefined) return webhooks
  const { of } = columns[order.column]
  const sign = order.direction === "ascending" ? 1 : -1
  return webhooks.toSorted((one, other) => {
    const [a, b] = [of(one), of(other)]
    if (a == null || b == null) return Number(a == null) - Number(b == null)
    return sign * (typeof a === "string" ? a.localeCompare(String(b)) : a - Number(b))
  })
}
