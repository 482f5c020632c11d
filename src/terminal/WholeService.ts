/** The whole service, for a command that runs it inside itself. Only app knows all of it, and provides it. */
import { Context, type Layer } from "effect"
import type { Settings } from "../spine/config/Config.ts"

export class WholeService extends Context.Service<
  WholeService,
  /** `command` is shown to another process that tries to open the same embedded database. */
  (command: string) => Layer.Layer<never, unknown, Settings>
>()("ledgerhook/cli/WholeService") {}
