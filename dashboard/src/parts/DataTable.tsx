/**
 * A list of any length as a table. Only the rows on the screen are in the document, and the next page is loaded when the
 * viewer reaches the end. Rows have one line each, so their height is known before they are drawn.
 */
import { Button } from "@mantine/core"
import { useElementSize, useMergedRef } from "@mantine/hooks"
import { type ColumnDef, createColumnHelper, tableFeatures, useTable } from "@tanstack/react-table"
import { useWindowVirtualizer } from "@tanstack/react-virtual"
import { type ReactNode, useEffect, useRef, useState } from "react"
import type { List } from "../api/list.ts"
import classes from "./DataTable.module.css"
import { count } from "./format.ts"
import { Loading } from "./Loading.tsx"
import { FailureNotice } from "./Notices.tsx"

const features = tableFeatures({})
type Features = typeof features

/** The height of a row in pixels, the same as in DataTable.module.css. */
const ROW_PIXELS = 40
const TWO_LINES_PIXELS = 56
/** Below this width of the table rows have two lines. */
const NARROW_PIXELS = 640

/** Rows drawn above and below the screen. */
const OVERSCAN = 12

declare module "@tanstack/react-table" {
  interface ColumnMeta<TFeatures, TData, TValue> {
    /** A CSS width. */
    readonly width?: string
    /** Hidden on screens that are narrower than this: sm 40, md 60, lg 80 times the size of the text. */
    readonly from?: "sm" | "md" | "lg"
    readonly align?: "end"
  }
}

/** Makes the columns of a table of `Row`. */
export const columnsOf = <Row extends object>() => createColumnHelper<Features, Row>()

export type Columns<Row extends object> = ReadonlyArray<ColumnDef<Features, Row>>

interface DataTableProps<Row extends object> {
  /** What the rows are, such as "Deliveries". */
  readonly label: string
  readonly columns: Columns<Row>
  readonly list: List<Row>
  readonly rowId: (row: Row) => string
  /** Lines of each row. On a narrow screen every row has two. */
  readonly lines?: 1 | 2
  /** Shown if the list has no rows. */
  readonly empty: ReactNode
}

export const DataTable = <Row extends object>({
  label,
  columns,
  list,
  rowId,
  lines = 1,
  empty
}: DataTableProps<Row>) => {
  const rows = list.data
  if (rows === undefined) {
    return list.isError ? (
      <FailureNotice failure={list.error} onRetry={() => list.refetch()} />
    ) : (
      <Loading lines={8} height={20} />
    )
  }
  if (rows.length === 0) return empty
  return (
    <>
      {list.isError && <FailureNotice failure={list.error} onRetry={() => list.refetch()} />}
      <Rows label={label} columns={columns} rows={rows} rowId={rowId} lines={lines} list={list} />
    </>
  )
}

interface RowsProps<Row extends object> extends Omit<DataTableProps<Row>, "empty"> {
  readonly rows: ReadonlyArray<Row>
}

const Rows = <Row extends object>({ label, columns, rows, rowId, lines = 1, list }: RowsProps<Row>) => {
  const table = useTable({
    features,
    columns: columns as Array<ColumnDef<Features, Row>>,
    data: rows as Array<Row>,
    getRowId: rowId
  })
  const frame = useRef<HTMLDivElement>(null)
  const [top, setTop] = useState(0)
  const { ref: sized, width } = useElementSize()
  const ref = useMergedRef(frame, sized)
  const rowPixels = lines === 1 && (width === 0 || width > NARROW_PIXELS) ? ROW_PIXELS : TWO_LINES_PIXELS
  useEffect(() => setTop(frame.current?.offsetTop ?? 0), [])
  const model = table.getRowModel().rows
  const virtual = useWindowVirtualizer({
    count: model.length,
    estimateSize: () => rowPixels,
    overscan: OVERSCAN,
    scrollMargin: top
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: the rows drawn before had the other height.
  useEffect(() => virtual.measure(), [rowPixels])
  const drawn = virtual.getVirtualItems()
  const last = drawn.at(-1)
  const { hasNextPage, isFetchingNextPage, isError, fetchNextPage } = list
  useEffect(() => {
    if (
      last !== undefined &&
      last.index >= model.length - 1 &&
      hasNextPage &&
      !isFetchingNextPage &&
      !isError
    ) {
      fetchNextPage()
    }
  }, [last, model.length, hasNextPage, isFetchingNextPage, isError, fetchNextPage])

  const above = drawn.length === 0 ? 0 : drawn[0]!.start - top
  const below = last === undefined ? 0 : virtual.getTotalSize() - (last.end - top)
  return (
    <div ref={ref} className={classes["frame"]}>
      <table
        className={classes["table"]}
        data-lines={lines}
        aria-label={label}
        aria-rowcount={hasNextPage ? -1 : model.length + 1}
      >
        <thead>
          {table.getHeaderGroups().map((group) => (
            <tr key={group.id}>
              {group.headers.map((header) => {
                const meta = header.column.columnDef.meta
                return (
                  <th
                    key={header.id}
                    scope="col"
                    data-from={meta?.from}
                    data-align={meta?.align}
                    style={meta?.width === undefined ? undefined : { width: meta.width }}
                  >
                    <table.FlexRender header={header} />
                  </th>
                )
              })}
            </tr>
          ))}
        </thead>
        <tbody>
          {above > 0 && <tr aria-hidden style={{ height: above }} />}
          {drawn.map(({ index }) => {
            const row = model[index]!
            return (
              <tr key={row.id} aria-rowindex={index + 2}>
                {row.getAllCells().map((cell) => (
                  <td
                    key={cell.id}
                    data-from={cell.column.columnDef.meta?.from}
                    data-align={cell.column.columnDef.meta?.align}
                  >
                    <table.FlexRender cell={cell} />
                  </td>
                ))}
              </tr>
            )
          })}
          {below > 0 && <tr aria-hidden style={{ height: below }} />}
        </tbody>
      </table>
      <div className={classes["foot"]} role="status">
        {count(model.length)} shown
        {isFetchingNextPage
          ? ", loading more"
          : hasNextPage && (
              <Button size="xs" variant="default" ml="sm" onClick={() => fetchNextPage()}>
                Load more
              </Button>
            )}
      </div>
    </div>
  )
}
