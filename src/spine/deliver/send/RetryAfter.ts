/** `Retry-After` (RFC 9110, 10.2.3): whole seconds, or an HTTP date in any of its three forms. */

const SECONDS = /^\d{1,10}$/
const HTTP_DATES = [
  /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/,
  /^[A-Z][a-z]{5,8}, \d{2}-[A-Z][a-z]{2}-\d{2} \d{2}:\d{2}:\d{2} GMT$/,
  // The format of C's asctime. It is in GMT too, but its text does not say so.
  /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/
]

/** Milliseconds to wait from now on. 0 if the time has passed, undefined if the header is not valid. */
export const retryAfterMs = (value: string, nowMs: number): number | undefined => {
  const text = value.trim()
  if (SECONDS.test(text)) return Number(text) * 1_000
  if (!HTTP_DATES.some((form) => form.test(text))) return undefined
  const unixMs = Date.parse(text.endsWith("GMT") ? text : `${text} GMT`)
  return Number.isNaN(unixMs) ? undefined : Math.max(0, unixMs - nowMs)
}
