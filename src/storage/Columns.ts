/**
 * A column of values as one array parameter, for `unnest(${column(values)}::int[])`. The driver derives an array's type
 * from its elements and cannot for nulls alone or for numbers of mixed sizes: so they go as text, and the cast decides.
 */
export const column = (
  values: ReadonlyArray<string | number | null>
): string | ReadonlyArray<string | null> =>
  values.every((value) => value === null)
    ? `{${values.map(() => "NULL").join(",")}}`
    : values.map((value) => (value === null ? null : String(value)))
