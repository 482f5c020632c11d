/** Requests with keys, as the gate asks about them. */
import { Effect } from "effect"
import { keySha256 } from "../../src/domain/ApiKey.ts"
import { KeyAdmission } from "../../src/storage/accounts/KeyAdmission.ts"

export const hashOf = (value: string): string => keySha256(value).toString("hex")

/** `requests` of them at once with one key; undefined when it is no valid key. */
export const admit = (value: string, nowMs: number, requests = 1) =>
  Effect.flatMap(KeyAdmission, (keys) => keys.admit(new Map([[hashOf(value), requests]]), nowMs)).pipe(
    Effect.map((found) => found.get(hashOf(value)))
  )
