/**
 * A column of values as one array parameter, for `unnest(${column(values)}::int[])`. The driver derives an array's type
 * from its elements and cannot for nulls alone or for numbers of mixed sizes: those go as PostgreSQL's text of the array,
 * which costs less besides, and the cast decides.
 */
export const column = (
  values: ReadonlyArray<string | number | null>
): string | ReadonlyArray<string | null> =>
  values.every((value) => typeof value !== "string")
    ? `{${values.map((value) => value ?? "NULL").join(",")}}`
    : values.map((value) => (value === null ? null : String(value)))
