/** What can go wrong with the embedded PostgreSQL, each as one sentence that is ready to print. */
import { Schema } from "effect"

export class EmbeddedPostgresError extends Schema.TaggedError<EmbeddedPostgresError>()("EmbeddedPostgresError", {
  reason: Schema.Literals([
    /** The folder cannot be used: not a folder, not writable, full, or its socket's folder is not ours. */
    "Folder",
    /** The folder belongs to another major version of PostgreSQL. */
    "Version",
    /** Another program holds the folder. */
    "InUse",
    /** There is no PostgreSQL to run here. */
    "Binaries",
    /** There is one, but no user it would run as. */
    "User",
    /** It was started and did not come up, or died and did not come back. */
    "Server"
  ]),
  message: Schema.String
}) {}

export type EmbeddedPostgresReason = EmbeddedPostgresError["reason"]

export const failure = (reason: EmbeddedPostgresReason, message: string): EmbeddedPostgresError =>
  new EmbeddedPostgresError({ reason, message })

/** The code of a system error, as `EACCES`; undefined for anything else that was thrown. */
export const errorCode = (error: unknown): string | undefined =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined

/** What to add to a message about PostgreSQL: the lines it called fatal, or else the last one, shortened. */
export const outputSummary = (output: string): string => {
  const lines = output
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
  const fatal = lines.filter((line) => /\b(FATAL|PANIC|error):/i.test(line))
  const chosen = fatal.length > 0 ? fatal.slice(0, 2) : lines.slice(-1)
  const text = chosen.map((line) => line.replace(/^.*?\b(FATAL|PANIC|error):\s*/i, "")).join("; ")
  return text === "" ? "it said nothing" : text.length > SUMMARY_MAX ? `${text.slice(0, SUMMARY_MAX)}…` : text
}

/** Characters of PostgreSQL's own words in a message: it stays one line on a terminal. */
const SUMMARY_MAX = 240
