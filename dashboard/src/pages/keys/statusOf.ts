/** Whether a key can be used. Pure. */
import type { ApiKey } from "../../api/ledgerhook.ts"

export const statusOf = (
  { revoked_at, expires_at }: Pick<ApiKey, "revoked_at" | "expires_at">,
  nowMs: number
): "revoked" | "expired" | "active" =>
  revoked_at !== null
    ? "revoked"
    : expires_at !== null && Date.parse(expires_at) <= nowMs
      ? "expired"
      : "active"
