/** What stands in the way of the embedded server: one sentence that names the setting to change. */
import { Schema } from "effect"

export class EmbeddedPostgresError extends Schema.TaggedError<EmbeddedPostgresError>()(
  "EmbeddedPostgresError",
  {
    message: Schema.String
  }
) {}

export const failure = (message: string) => new EmbeddedPostgresError({ message })

/** The system's code where there is one: stable, and no path or secret in it. */
export const reasonOf = (error: unknown): string =>
  error instanceof Error && "code" in error ? String(error.code) : String(error)
