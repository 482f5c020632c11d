/** Whether this machine has a Python for the receiver package. */
import { spawnSync } from "node:child_process"

/** Whether the machine's Python runs this statement. */
export const pythonRuns = (statement: string): boolean =>
  spawnSync("python3", ["-c", `import sys; assert sys.version_info >= (3, 9); ${statement}`]).status === 0

export const hasPython = pythonRuns("pass")
