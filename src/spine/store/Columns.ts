/**
 * Passes a column of values as one array parameter, for `unnest(${column(values)}::int[])`. The driver derives the
 * array's type from its elements, which fails for nulls only and for numbers of mixed sizes. So numbers and nulls are
 * passed as PostgreSQL's text of an array, and the cast decides.
 */
export const column = (
  values: ReadonlyArray<string | number | null>
): string | ReadonlyArray<string | null> =>
  values.every((value) => typeof value !== "string")
    ? `{${values.map((value) => value ?? "NULL").join(",")}}`
    : values.map((value) => (value === null ? null : String(value)))
