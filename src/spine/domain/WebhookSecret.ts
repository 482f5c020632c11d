/** The secret that signs a webhook's requests, where the customer gives none of their own. */
import { randomBytes } from "node:crypto"

const SECRET_BYTES = 32

/** Every secret of a webhook has these characters only. */
export const SECRET_CHARACTERS = /^[!-~]+$/

export const generateSecret = (): string => `whsec_${randomBytes(SECRET_BYTES).toString("base64")}`
