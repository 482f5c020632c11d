/** The name of this process in the tables `processes` and `leases`. */
import { randomUUID } from "node:crypto"
import { Context, Layer } from "effect"

export class ProcessId extends Context.Service<ProcessId, string>()("ledgerhook/storage/ProcessId") {
  static readonly layer = Layer.sync(ProcessId, () => randomUUID())
}
