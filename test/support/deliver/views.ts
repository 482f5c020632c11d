/** What the views of webhooks in memory need: a log in memory, a key for secrets, and a database for dead letters. */
import { Layer } from "effect"
import { Outbox } from "../../../src/spine/store/outbox/Outbox.ts"
import { SecretBox } from "../../../src/spine/store/secrets/SecretBox.ts"
import * as MemoryLog from "../log/memory/MemoryLog.ts"
import { settingsLayer } from "../program/settings.ts"
import { UsedDatabase } from "../store/postgres.ts"

export const viewLayer = Layer.mergeAll(MemoryLog.layer, SecretBox.layer, Outbox.layer).pipe(
  Layer.provideMerge(UsedDatabase),
  Layer.provide(settingsLayer())
)
