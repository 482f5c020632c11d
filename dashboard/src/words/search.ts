/** Reads values of an address's query, which a viewer may have typed. */

/** A text; undefined if there is none. The router reads `7` as a number. */
export const text = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : typeof value === "number" ? String(value) : undefined

/** One of `choices`; undefined if it is none. */
export const oneOf =
  <T extends string>(choices: ReadonlyArray<T>) =>
  (value: unknown): T | undefined =>
    choices.find((choice) => choice === value)

/** A whole number from 1; undefined if it is none. */
export const whole = (value: unknown): number | undefined => {
  const number = Number(value)
  return Number.isSafeInteger(number) && number > 0 ? number : undefined
}

/** The period of a page's charts. */
export const periodIn = oneOf(["1h", "24h", "7d", "30d"])

/** How many filters are set. */
export const setIn = (filters: object): number =>
  Object.values(filters).filter((value) => value !== undefined).length
