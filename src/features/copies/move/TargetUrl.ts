/**
 * The URL of the database to move to: from a variable or a file, because every user of a machine may see the arguments
 * of its processes, or from the command line.
 */
import { readFileSync } from "node:fs"
import { Effect } from "effect"
import type { Environment } from "../../../spine/config/Config.ts"
import { wrongUsage } from "../../../terminal/Failure.ts"
import { optionalText } from "../../../terminal/Flags.ts"

export const targetUrlFlags = {
  databaseUrl: optionalText(
    "database-url",
    "URL",
    "Move to this PostgreSQL (15 or later). If the URL has a password, use one of the next two: the command line stays in the shell's history, and others may see it while the command starts"
  ),
  databaseUrlEnv: optionalText(
    "database-url-env",
    "NAME",
    "Move to the PostgreSQL whose URL this variable has"
  ),
  databaseUrlFile: optionalText(
    "database-url-file",
    "FILE",
    "Move to the PostgreSQL whose URL is in this file"
  )
}

type Given = { readonly [flag in keyof typeof targetUrlFlags]: string | undefined }

/** How many of the flags are given. */
export const targetUrlsGiven = (given: Given): number =>
  [given.databaseUrl, given.databaseUrlEnv, given.databaseUrlFile].filter((one) => one !== undefined).length

const inFile = (file: string) =>
  Effect.try({
    try: () => readFileSync(file, "utf8"),
    catch: (error) =>
      // Node's file errors carry a code.
      wrongUsage(
        `--database-url-file: ${file} cannot be read (${(error as NodeJS.ErrnoException).code}); give a file that contains the URL.`
      )
  })

/** Undefined if no flag is given. */
export const targetUrl = Effect.fnUntraced(function* (given: Given, environment: Environment) {
  const { databaseUrlEnv: name, databaseUrlFile: file } = given
  if (name === undefined && file === undefined) return given.databaseUrl
  const text = file === undefined ? environment[name ?? ""] : yield* inFile(file)
  const url = text?.trim() ?? ""
  if (url !== "") return url
  return yield* wrongUsage(
    file === undefined
      ? `--database-url-env: the variable ${name} is not set; set it to the URL, and export it.`
      : `--database-url-file: ${file} is empty; write the URL into it.`
  )
})
