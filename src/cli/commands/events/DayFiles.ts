/**
 * Writes the files of one day, one for each event type: `type=TYPE/date=DATE/NETWORK.ENDING`. Events wait in memory
 * until they make a group, `Limits.exportBufferedChars` in all types together. The files have temporary names until
 * `publish`, which syncs and renames them; until then the files of an earlier export stay as they are. The same events
 * in the same order give the same bytes.
 */
import { createHash } from "node:crypto"
import { Effect, FileSystem, Path } from "effect"
import { Limits } from "../../../config/Limits.ts"
import { type EventType, eventTypes } from "../../../domain/EventType.ts"
import type { Network } from "../../../domain/Network.ts"
import { errorText } from "../../../observability/Logging.ts"
import { failed } from "../../terminal/Failure.ts"
import { openTemporary, syncFolder, temporary } from "../../terminal/OutputFile.ts"
import type { Encoder } from "./Encoder.ts"
import type { ExportedFile } from "./Manifest.ts"

/** Events of one group, if they are short. If they are long, `exportBufferedChars` ends the group earlier. */
const GROUP_EVENTS = 100_000

export interface DayFilesOptions {
  readonly folder: string
  readonly network: Network
  readonly date: string
  readonly ending: string
  readonly encoder: (type: EventType) => Encoder
}

interface OpenFile {
  readonly path: string
  readonly encoder: Encoder
  readonly file: FileSystem.File
  readonly hash: ReturnType<typeof createHash>
  waiting: Array<string>
  waitingChars: number
  events: number
  bytes: number
}

export const makeDayFiles = Effect.fnUntraced(function* (options: DayFilesOptions) {
  const { date, encoder, ending, folder, network } = options
  const fileSystem = yield* FileSystem.FileSystem
  const { dirname, join } = yield* Path.Path
  const open = new Map<EventType, OpenFile>()
  let waitingChars = 0

  const openFile = Effect.fnUntraced(function* (type: EventType) {
    const path = join(`type=${type}`, `date=${date}`, `${network}.${ending}`)
    yield* fileSystem.makeDirectory(join(folder, dirname(path)), { recursive: true })
    const opened: OpenFile = {
      path,
      encoder: encoder(type),
      file: yield* openTemporary(join(folder, path)),
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
    yield* to.file.writeAll(bytes)
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
    else if (waitingChars >= Limits.exportBufferedChars) {
      const largest = [...open.values()].reduce((a, b) => (b.waitingChars > a.waitingChars ? b : a))
      yield* writeGroup(largest)
    }
  })

  /** Ends and syncs the files, under their temporary names. */
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

  const publish = Effect.fnUntraced(function* (files: ReadonlyArray<ExportedFile>) {
    for (const { path } of files) {
      const target = join(folder, path)
      yield* fileSystem.rename(temporary(target), target)
      // Both folders may be new.
      yield* syncFolder(dirname(target))
      yield* syncFolder(dirname(dirname(target)))
    }
    yield* syncFolder(folder)
  })

  return { add, end, publish }
})
