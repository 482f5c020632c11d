/** The id by which a caller and an operator speak of one request: the caller's own when it can be shown, else a new one. */
import { randomUUID } from "node:crypto"

/** 1 to 128 visible ASCII characters. */
const SHOWABLE = /^[!-~]{1,128}$/

export const requestIdOf = (headers: Readonly<Record<string, string | undefined>>): string => {
  const given = headers["x-request-id"]
  return given !== undefined && SHOWABLE.test(given) ? given : randomUUID()
}
