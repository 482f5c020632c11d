/** Admits requests with API keys, as the API's gate does. */
import { Effect } from "effect"
import { KeyAdmission } from "../../../src/http/guard/KeyAdmission.ts"
import { type Credential, keySha256 } from "../../../src/spine/domain/ApiKey.ts"

export const credentialOf = (key: string): Credential => `key ${keySha256(key).toString("hex")}`

/** Admits `requests` requests with one key at once; undefined if the key is not valid. */
export const admit = (value: string, nowMs: number, requests = 1) =>
  Effect.flatMap(KeyAdmission, (keys) => keys.admit(new Map([[credentialOf(value), requests]]), nowMs)).pipe(
    Effect.map((found) => found.get(credentialOf(value)))
  )
