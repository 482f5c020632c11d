/** The request id, which callers and operators use to name one request: X-Request-Id if it is valid, else a new id. */
import { randomUUID } from "node:crypto"

/** 1 to 128 visible ASCII characters. */
const SHOWABLE = /^[!-~]{1,128}$/

export const requestIdOf = (headers: Readonly<Record<string, string | undefined>>): string => {
  const given = headers["x-request-id"]
  return given !== undefined && SHOWABLE.test(given) ? given : randomUUID()
}
