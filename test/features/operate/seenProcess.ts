/** A process as its row shows it: one that has every role and is well. */

import type { SeenProcess } from "../../../src/features/operate/model/SeenProcess.ts"
import { roles } from "../../../src/spine/config/Definitions.ts"

export const seenProcess = (of: Partial<SeenProcess> = {}): SeenProcess => ({
  host: "a",
  pid: 1,
  version: "0.3.0",
  roles,
  failing: [],
  seenAgoMs: 1_000,
  stopped: false,
  holds: [],
  parts: {},
  behindMs: {},
  sent: null,
  ...of
})
