/**
 * A list of any length as a table. Only the rows on the screen are in the document, and the next page is loaded when the
 * viewer reaches the end. A row's height is known before it is drawn. The first link of a row is its page: a click anywhere
 * on the row opens it, `j` and `k` move between rows. Rows can be selected and columns sorted if the caller says how.
 */
import { Button } from "@mantine/core"
import { useElementSize, useMergedRef } from "@mantine/hooks"
import { IconArrowDown, IconArrowUp } from "@tabler/icons-react"
import { type ColumnDef, createColumnHelper, tableFeatures, useTable } from "@tanstack/react-table"
import { useWindowVirtualizer } from "@tanstack/react-virtual"
import { type ReactNode, useEffect, useRef, useState } from "react"
import type { List } from "../../api/list.ts"
import { count } from "../../words/format.ts"
import { Loading } from "../page/Loading.tsx"
import { FailureNotice } from "../page/Notices.tsx"
import classes from "./DataTable.module.css"
import { openRow, useRowKeys } from "./rowLinks.ts"
import { clicked, clickedAll, type Selection } from "./selection.ts"

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
    /** Hidden on screens that are narrower than this: sm 40, md 60, lg 68 rem. */
    readonly from?: "sm" | "md" | "lg"
    readonly align?: "end"
  }
}

/** Makes the columns of a table of `Row`. */
export const columnsOf = <Row extends object>() => createColumnHelper<Features, Row>()

export type Columns<Row extends object> = ReadonlyArray<ColumnDef<Features, Row>>

/** How a column is sorted. */
interface Sort {
  /** Undefined: the list is sorted by another column. */
  readonly direction?: "ascending" | "descending" | undefined
  /** Undefined: there is no other order. */
  readonly onSort?: () => void
}

interface DataTableProps<Row extends object> {
  /** What the rows are, such as "Deliveries". */
  readonly label: string
  readonly columns: Columns<Row>
  readonly list: List<Row>
  readonly rowId: (row: Row) => string
  /** Lines of each row. On a narrow screen every row has two. */
  readonly lines?: 1 | 2
  /** A row of a narrow screen, in one cell. By default the columns that fit. */
  readonly narrow?: (row: Row) => ReactNode
  /** The height of such a row in pixels. By default it has two lines. */
  readonly narrowPixels?: number
  /** The columns that show or change the order, by id. */
  readonly sorts?: Readonly<Record<string, Sort>>
  /** Gives each row a box that selects it. */
  readonly selection?: { readonly of: Selection; readonly onChange: (next: Selection) => void }
  /** Shown if the list has no rows. */
  readonly empty: ReactNode
}

export const DataTable = <Row extends object>({ empty, ...props }: DataTableProps<Row>) => {
  const { list } = props
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
      <Rows {...props} rows={rows} />
    </>
  )
}

interface RowsProps<Row extends object> extends Omit<DataTableProps<Row>, "empty"> {
  readonly rows: ReadonlyArray<Row>
}

const Box = (props: {
  readonly label: string
  readonly checked: boolean
  readonly onClick: (shift: boolean) => void
}) => (
  <label className={classes["box"]} onMouseDown={(event) => event.shiftKey && event.preventDefault()}>
    <input
      type="checkbox"
      aria-label={props.label}
      checked={props.checked}
      onChange={({ nativeEvent }) => props.onClick(nativeEvent instanceof MouseEvent && nativeEvent.shiftKey)}
    />
  </label>
)

const Head = ({ sort, children }: { readonly sort: Sort | undefined; readonly children: ReactNode }) => {
  const Arrow = sort?.direction === "ascending" ? IconArrowUp : IconArrowDown
  const content = (
    <>
      {children}
      {sort?.direction && <Arrow size={14} aria-hidden />}
    </>
  )
  return sort?.onSort === undefined ? (
    content
  ) : (
    <button type="button" onClick={sort.onSort}>
      {content}
    </button>
  )
}

const Rows = <Row extends object>(props: RowsProps<Row>) => {
  const { label, columns, rows, rowId, lines = 1, narrow, narrowPixels, sorts, selection, list } = props
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
  useRowKeys(frame)
  const isNarrow = width > 0 && width <= NARROW_PIXELS
  const rowPixels = isNarrow
    ? (narrowPixels ?? TWO_LINES_PIXELS)
    : lines === 1
      ? ROW_PIXELS
      : TWO_LINES_PIXELS
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

  const ids = () => rows.map(rowId)
  const above = drawn.length === 0 ? 0 : drawn[0]!.start - top
  const below = last === undefined ? 0 : virtual.getTotalSize() - (last.end - top)
  return (
    <div ref={ref} className={classes["frame"]} data-row-keys>
      <table
        className={classes["table"]}
        data-lines={lines}
        aria-label={label}
        aria-rowcount={hasNextPage ? -1 : model.length + 1}
      >
        <thead>
          {table.getHeaderGroups().map((group) => (
            <tr key={group.id}>
              {selection && (
                <th scope="col" className={classes["select"]}>
                  <Box
                    label="Select all that are loaded"
                    checked={selection.of.ids.size > 0 && selection.of.ids.size >= rows.length}
                    onClick={() => selection.onChange(clickedAll(selection.of, ids()))}
                  />
                </th>
              )}
              {isNarrow && narrow ? (
                <th scope="col">{label}</th>
              ) : (
                group.headers.map((header) => {
                  const meta = header.column.columnDef.meta
                  const sort = sorts?.[header.column.id]
                  return (
                    <th
                      key={header.id}
                      scope="col"
                      data-from={meta?.from}
                      data-align={meta?.align}
                      aria-sort={sort?.direction}
                      style={meta?.width === undefined ? undefined : { width: meta.width }}
                    >
                      <Head sort={sort}>
                        <table.FlexRender header={header} />
                      </Head>
                    </th>
                  )
                })
              )}
            </tr>
          ))}
        </thead>
        <tbody>
          {above > 0 && <tr aria-hidden style={{ height: above }} />}
          {drawn.map(({ index }) => {
            const row = model[index]!
            const isSelected = selection?.of.ids.has(row.id)
            return (
              <tr
                key={row.id}
                aria-rowindex={index + 2}
                data-selected={isSelected}
                onClick={openRow}
                onAuxClick={openRow}
              >
                {selection && (
                  <td className={classes["select"]} data-no-open>
                    <Box
                      label={`Select ${row.id}`}
                      checked={isSelected === true}
                      onClick={(shift) => selection.onChange(clicked(selection.of, ids(), row.id, shift))}
                    />
                  </td>
                )}
                {isNarrow && narrow ? (
                  <td style={{ height: rowPixels }}>{narrow(row.original)}</td>
                ) : (
                  row.getAllCells().map((cell) => (
                    <td
                      key={cell.id}
                      data-from={cell.column.columnDef.meta?.from}
                      data-align={cell.column.columnDef.meta?.align}
                    >
                      <table.FlexRender cell={cell} />
                    </td>
                  ))
                )}
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
