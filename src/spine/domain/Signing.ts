/**
 * The two schemes that sign a webhook's requests. `service`: X-Service-Signature over the body. `standard`: Standard
 * Webhooks (https://www.standardwebhooks.com), whose signature covers the delivery id and the time of the attempt too.
 * Pure.
 */

export const signingSchemes = ["service", "standard"] as const
export type SigningScheme = (typeof signingSchemes)[number]

export const defaultSigning: ReadonlyArray<SigningScheme> = ["service"]

const STANDARD_PREFIX = "whsec_"
const STANDARD_KEY_BYTES = { minimum: 24, maximum: 64 } as const

/** Describes a valid secret in error messages. */
export const STANDARD_SECRET_FORM = `${STANDARD_PREFIX} followed by the base64 of ${STANDARD_KEY_BYTES.minimum} to ${STANDARD_KEY_BYTES.maximum} bytes`

/** The same, as nearly as a pattern can say it. */
export const STANDARD_SECRET_PATTERN = "^whsec_(?:[A-Za-z0-9+/]{4}){8,21}(?:[A-Za-z0-9+/]{2,3}={1,2})?$"

/**
 * Returns the key that Standard Webhooks reads from `secret`, in base64. Undefined if the secret has another form.
 */
export const standardKey = (secret: string): string | undefined => {
  if (!secret.startsWith(STANDARD_PREFIX)) return undefined
  const text = secret.slice(STANDARD_PREFIX.length)
  const key = Buffer.from(text, "base64")
  const { minimum, maximum } = STANDARD_KEY_BYTES
  // `Buffer` skips characters that are not base64. Receivers' libraries refuse them.
  const isExact = key.toString("base64") === text
  return isExact && key.length >= minimum && key.length <= maximum ? text : undefined
}
