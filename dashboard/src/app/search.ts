/** Reads values of an address's query, which a viewer may have typed. */

/** A text; undefined if there is none. The router reads `7` as a number. */
export const text = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : typeof value === "number" ? String(value) : undefined

/** One of `choices`; undefined if it is none. */
export const oneOf =
  <T extends string>(choices: ReadonlyArray<T>) =>
  (value: unknown): T | undefined =>
    choices.find((choice) => choice === value)
