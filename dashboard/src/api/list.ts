/** Lists that the API gives page by page, newest first. */
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query"
import { autoRefresh } from "./refresh.ts"

/** The most rows that the API gives in one response. */
export const PAGE_ROWS = 100

interface ListPage<Row> {
  readonly data: ReadonlyArray<Row>
  readonly next_cursor: string | null
}

/**
 * The rows of all pages loaded so far. A list refreshes itself while only its first page is loaded: refreshing reads
 * every loaded page again. `refresh` may be a function that gives the milliseconds until the next time.
 */
export const useList = <Row>(
  key: ReadonlyArray<unknown>,
  load: (cursor: string | undefined) => Promise<ListPage<Row>>,
  refresh: boolean | (() => number | false) = true
) => {
  const interval = typeof refresh === "function" ? refresh : () => refresh && autoRefresh()
  const query = useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam }) => load(pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => {
      if (state.data?.pages.length !== 1) return false
      // Whoever sees an empty list waits for its first row.
      return state.data.pages[0]!.data.length === 0 ? autoRefresh() : interval()
    },
    select: ({ pages }) => pages.flatMap((page) => page.data)
  })
  return query
}

export type List<Row> = ReturnType<typeof useList<Row>>
