/** A second line in a table's cell, for what narrow screens have no column for. */
import type { ReactNode } from "react"
import classes from "./Narrow.module.css"

export const NarrowOnly = ({ children }: { readonly children: ReactNode }) => (
  <div className={classes["line"]}>{children}</div>
)
