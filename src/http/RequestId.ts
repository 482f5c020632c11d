/** The request id, which callers and operators use to name one request: X-Request-Id if it is valid, else a new id. */
import { randomUUID } from "node:crypto"

/** 1 to 128 visible ASCII characters. */
export const REQUEST_ID_PATTERN = "^[!-~]{1,128}$"
const usable = new RegExp(REQUEST_ID_PATTERN)

export const requestIdOf = (headers: Readonly<Record<string, string | undefined>>): string => {
  const given = headers["x-request-id"]
  return given !== undefined && usable.test(given) ? given : randomUUID()
}
