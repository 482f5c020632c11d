/** Reads a file, or standard input for `-`, line by line; errors for files that cannot be read. */
import { Effect, FileSystem, type PlatformError, Stdio, Stream } from "effect"
import { printable } from "../spine/words/Printable.ts"
import { type CommandFailed, failed } from "./Failure.ts"

const STDIN = "-"

/** Splits chunks of text into lines. A line is cut after `longest` + 1 characters, which shows that it was longer. */
export const makeLineSplitter = (longest: number) => {
  let line = ""
  const add = (text: string) => {
    line += text.slice(0, longest + 1 - line.length)
  }
  const take = (): string => {
    const taken = line.endsWith("\r") ? line.slice(0, -1) : line
    line = ""
    return taken
  }
  return {
    push: (chunk: string): ReadonlyArray<string> => {
      const parts = chunk.split("\n")
      const last = parts.pop() ?? ""
      const lines = parts.map((part) => {
        add(part)
        return take()
      })
      add(last)
      return lines
    },
    /** The last line, if the text does not end with a line break. */
    end: (): ReadonlyArray<string> => (line === "" ? [] : [take()])
  }
}

export const linesOf = (file: string, longest: number) =>
  Stream.unwrap(
    Effect.gen(function* () {
      const fileSystem = yield* FileSystem.FileSystem
      const { stdin } = yield* Stdio.Stdio
      const splitter = makeLineSplitter(longest)
      const bytes = file === STDIN ? stdin : fileSystem.stream(file)
      return bytes.pipe(
        Stream.decodeText,
        Stream.map(splitter.push),
        Stream.concat(Stream.sync(splitter.end)),
        Stream.flattenIterable
      )
    })
  )

export const fileFault = (file: string, { reason }: PlatformError.PlatformError): CommandFailed => {
  const said: Partial<Record<string, string>> = {
    NotFound: "no such file",
    PermissionDenied: "permission denied",
    BadResource: "is not a file"
  }
  return failed(`${printable(file)}: ${said[reason._tag] ?? reason.message}.`)
}
