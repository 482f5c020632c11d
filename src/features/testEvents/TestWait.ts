/** How long a request for a test event waits for the first attempt. Pure. */

export const MOST_WAIT_MS = 10_000

/** `10s` or `500ms`: every time that is not longer. */
export const TEST_WAIT_PATTERN = "^(?:(?:10|[0-9])s|(?:10000|[0-9]{1,4})ms)$"
const form = new RegExp(TEST_WAIT_PATTERN)

/** The time in milliseconds; undefined if it has another form or is longer than allowed. */
export const testWaitMs = (text: string): number | undefined =>
  form.test(text) ? Number.parseInt(text, 10) * (text.endsWith("ms") ? 1 : 1_000) : undefined
