/** What the commands that read a stream say about its connection, on standard error. */

import { seconds } from "../../../spine/words/Words.ts"
import { printError } from "../../../terminal/Output.ts"

/** `opening` is said at the first connection. */
export const connectionNotes = (opening: string) => ({
  onOpen: (connection: number) => printError(connection > 1 ? "Connected again." : opening),
  onLost: (reason: string, waitMs: number) =>
    printError(`Connection lost: ${reason.replace(/\.$/, "")}. Connecting again in ${seconds(waitMs)}.`)
})
