/** How a receiver checks the signature of a request. Pure. */
import { createHmac, timingSafeEqual } from "node:crypto"

export type SignatureVerdict = "ok" | "wrong" | "not checked"

/**
 * Checks the signature of the raw bytes, in constant time. After a secret rotation with a grace period the header
 * contains two signatures. Without a secret nothing is checked.
 */
export const verifySignature = (
  secret: string | undefined,
  body: Uint8Array,
  header: string | undefined
): SignatureVerdict => {
  if (secret === undefined) return "not checked"
  const expected = Buffer.from(`sha256=${createHmac("sha256", secret).update(body).digest("hex")}`)
  const given = (header ?? "").split(",").map((one) => Buffer.from(one.trim()))
  return given.some((one) => one.length === expected.length && timingSafeEqual(one, expected))
    ? "ok"
    : "wrong"
}
