/**
 * Where an export writes: a folder, or a bucket of S3-compatible storage (`s3://BUCKET/PREFIX`). Paths are below it,
 * with `/`. A file appears whole under its final name, or not at all, and stays after a power failure. Files are first
 * written to `drafts`, a folder of this machine that is emptied when the target is opened.
 */
import { type Effect, Schema } from "effect"

/** The target cannot be used. One sentence. */
export class TargetError extends Schema.TaggedError<TargetError>()("TargetError", {
  message: Schema.String,
  /** Whether it may work later without a change by the operator. */
  mayPass: Schema.Boolean
}) {}

export interface Target {
  /** As the operator named it. */
  readonly name: string
  readonly drafts: string
  /** The text of a file; undefined if there is none. */
  readonly read: (path: string) => Effect.Effect<string | undefined, TargetError>
  readonly write: (path: string, text: string) => Effect.Effect<void, TargetError>
  /** The bytes of a file; undefined if there is none. */
  readonly size: (path: string) => Effect.Effect<number | undefined, TargetError>
  /** Moves a complete, synced file from `drafts` to its place, also in place of an older one. */
  readonly publish: (draft: string, path: string) => Effect.Effect<void, TargetError>
}
