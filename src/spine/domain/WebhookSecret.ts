/** The secret that signs a webhook's requests, where the customer gives none of their own. */
import { randomBytes } from "node:crypto"

const SECRET_BYTES = 32

export const generateSecret = (): string => `whsec_${randomBytes(SECRET_BYTES).toString("base64")}`
