/** How long a request for a test event waits for the first attempt. Pure. */

export const MOST_WAIT_MS = 10_000

/** `10s` or `500ms` in milliseconds; undefined if it has another form or is longer than allowed. */
export const testWaitMs = (text: string): number | undefined => {
  const [, digits, unit] = /^(\d{1,5})(ms|s)$/.exec(text) ?? []
  const ms = Number(digits) * (unit === "s" ? 1_000 : 1)
  return ms <= MOST_WAIT_MS ? ms : undefined
}
