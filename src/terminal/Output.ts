/** Writes to standard output and standard error in order, and waits for a slow reader. */
import { Effect } from "effect"

const write = (stream: NodeJS.WriteStream, text: string): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    if (stream.write(text)) resume(Effect.void)
    else stream.once("drain", () => resume(Effect.void))
  })

export const print = (line: string): Effect.Effect<void> => write(process.stdout, `${line}\n`)

export const printError = (line: string): Effect.Effect<void> => write(process.stderr, `${line}\n`)

/** Replaces the current line of the terminal on standard error. */
export const overwriteErrorLine = (text: string): Effect.Effect<void> =>
  write(process.stderr, `\r\u001b[K${text}`)

/** Height of the terminal. Read at each call, because windows are resized. */
export const terminalRows = (): number => process.stdout.rows ?? 24
