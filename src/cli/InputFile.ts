/** Files that commands read line by line, `-` for standard input, and what is said of one that cannot be read. */
import { Effect, FileSystem, type PlatformError, Stdio, Stream } from "effect"
import { CommandFailed } from "./Failure.ts"

const STDIN = "-"

export const linesOf = (file: string) =>
  Stream.unwrap(
    Effect.gen(function* () {
      const fileSystem = yield* FileSystem.FileSystem
      const { stdin } = yield* Stdio.Stdio
      const bytes = file === STDIN ? stdin : fileSystem.stream(file)
      return bytes.pipe(Stream.decodeText, Stream.splitLines)
    })
  )

export const fileFault = (file: string, { reason }: PlatformError.PlatformError): CommandFailed => {
  const said: Partial<Record<string, string>> = {
    NotFound: "no such file",
    PermissionDenied: "may not be read",
    BadResource: "is not a file"
  }
  return new CommandFailed({ message: `${file}: ${said[reason._tag] ?? reason.message}.` })
}
