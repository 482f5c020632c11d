/**
 * Writes the files of one period, one for each event type: `network=NETWORK/date=DATE/type=TYPE/NAME`. Events wait in
 * memory until they make a group, `exportLimits.bufferedChars` in all types together. The files are drafts until
 * `publish`; until then the files of an earlier export stay as they are. The same events in the same order give the
 * same bytes.
 */

import { createHash } from "node:crypto"
import { Effect, FileSystem, Path } from "effect"
import { type EventType, eventTypes } from "../../spine/event/EventType.ts"
import { errorText } from "../../spine/observe/Logging.ts"
import { failed } from "../../terminal/Failure.ts"
import { openTemporary, temporary } from "../../terminal/OutputFile.ts"
import type { Encoder } from "./Encoder.ts"
import { type Target, TargetError } from "./ExportTarget.ts"
import { exportLimits } from "./Limits.ts"
import type { ExportedFile } from "./Manifest.ts"

/** Events of one group, if they are short. If they are long, `bufferedChars` ends the group earlier. */
const GROUP_EVENTS = 100_000

export interface PeriodFilesOptions {
  readonly target: Target
  /** Below the target, with the files of all types. */
  readonly folder: string
  /** Of each file, with its ending. */
  readonly name: string
  readonly encoder: (type: EventType) => Encoder
}

interface OpenFile {
  readonly path: string
  readonly draft: string
  readonly encoder: Encoder
  readonly file: FileSystem.File
  readonly hash: ReturnType<typeof createHash>
  waiting: Array<string>
  waitingChars: number
  events: number
  bytes: number
}

export const makePeriodFiles = Effect.fnUntraced(function* ({
  encoder,
  folder,
  name,
  target
}: PeriodFilesOptions) {
  const fileSystem = yield* FileSystem.FileSystem
  const { join } = yield* Path.Path
  const open = new Map<EventType, OpenFile>()
  let waitingChars = 0

  const openFile = Effect.fnUntraced(function* (type: EventType) {
    yield* fileSystem.makeDirectory(target.drafts, { recursive: true })
    const draft = join(target.drafts, `${type}-${name}`)
    const opened: OpenFile = {
      path: `${folder}/type=${type}/${name}`,
      draft: temporary(draft),
      encoder: encoder(type),
      file: yield* openTemporary(draft),
      hash: createHash("sha256"),
      waiting: [],
      waitingChars: 0,
      events: 0,
      bytes: 0
    }
    open.set(type, opened)
    return opened
  })

  const write = Effect.fnUntraced(function* (to: OpenFile, bytes: Uint8Array) {
    yield* Effect.mapError(
      to.file.writeAll(bytes),
      (error) => new TargetError({ message: `${target.drafts}: ${errorText(error)}.`, mayPass: true })
    )
    to.hash.update(bytes)
    to.bytes += bytes.length
  })

  const writeGroup = Effect.fnUntraced(function* (to: OpenFile) {
    if (to.waiting.length === 0) return
    const bytes = yield* Effect.try({
      try: () => to.encoder.group(to.waiting),
      catch: (error) => failed(`${to.path}: an event cannot be written: ${errorText(error)}.`)
    })
    yield* write(to, bytes)
    waitingChars -= to.waitingChars
    to.events += to.waiting.length
    to.waiting = []
    to.waitingChars = 0
  })

  const add = Effect.fnUntraced(function* (type: EventType, value: string) {
    const to = open.get(type) ?? (yield* openFile(type))
    to.waiting.push(value)
    to.waitingChars += value.length
    waitingChars += value.length
    if (to.waiting.length >= GROUP_EVENTS) yield* writeGroup(to)
    else if (waitingChars >= exportLimits.bufferedChars) {
      const largest = [...open.values()].reduce((a, b) => (b.waitingChars > a.waitingChars ? b : a))
      yield* writeGroup(largest)
    }
  })

  /** Ends and syncs the drafts. */
  const end = Effect.gen(function* () {
    const files: Array<ExportedFile> = []
    for (const type of eventTypes) {
      const one = open.get(type)
      if (one === undefined) continue
      yield* writeGroup(one)
      yield* write(one, one.encoder.end())
      yield* one.file.sync
      const { bytes, events, path } = one
      files.push({ path, event_type: type, events, bytes, sha256: one.hash.digest("hex") })
    }
    return files
  })

  const publish = Effect.suspend(() =>
    Effect.forEach([...open.values()], ({ draft, path }) => target.publish(draft, path), { discard: true })
  )

  return { add, end, publish }
})
