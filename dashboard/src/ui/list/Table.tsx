/** A short table: a few rows that are all drawn. Long lists are a DataTable. */
import type { ReactNode } from "react"
import classes from "./DataTable.module.css"

interface TableProps {
  readonly label: string
  readonly heads: ReadonlyArray<string>
  /** The columns whose text stands at the right: numbers. */
  readonly ends?: ReadonlyArray<number>
  /** The columns that narrow screens do not show. */
  readonly hidden?: ReadonlyArray<number>
  /** Rows. */
  readonly children: ReactNode
}

export const Table = ({ label, heads, ends = [], hidden = [], children }: TableProps) => (
  <div className={classes["frame"]}>
    <table className={classes["table"]} aria-label={label} data-short>
      <thead>
        <tr>
          {heads.map((head, at) => (
            <th
              key={head}
              scope="col"
              data-align={ends.includes(at) ? "end" : undefined}
              data-narrow={hidden.includes(at) ? "hidden" : undefined}
            >
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  </div>
)
