/** Why the embedded server cannot start: one sentence that names the setting to change. */
import { Schema } from "effect"

export class EmbeddedPostgresError extends Schema.TaggedError<EmbeddedPostgresError>()(
  "EmbeddedPostgresError",
  {
    message: Schema.String
  }
) {}

export const failure = (message: string) => new EmbeddedPostgresError({ message })

/** The system's error code if there is one: it is stable and contains no path or secret. */
export const reasonOf = (error: unknown): string =>
  error instanceof Error && "code" in error ? String(error.code) : String(error)
