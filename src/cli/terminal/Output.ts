/** Standard output and standard error of commands: written in order, waiting for a reader that is slow. */
import { Effect } from "effect"

const write = (stream: NodeJS.WriteStream, text: string): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    if (stream.write(text)) resume(Effect.void)
    else stream.once("drain", () => resume(Effect.void))
  })

export const print = (line: string): Effect.Effect<void> => write(process.stdout, `${line}\n`)

export const printError = (line: string): Effect.Effect<void> => write(process.stderr, `${line}\n`)

/** Writes over the line of the terminal that standard error is on, and stays there. */
export const overwriteErrorLine = (text: string): Effect.Effect<void> =>
  write(process.stderr, `\r\u001b[K${text}`)

/** Lines of the terminal that standard output is; asked each time, since windows are resized. */
export const terminalRows = (): number => process.stdout.rows ?? 24
