/**
 * A ledger server whose behaviour changes at random. Each mood is one way in which real servers fail, and a seed
 * decides their order. Sound servers and moody ones serve the same chain.
 */
import { Effect, type Scope } from "effect"
import { chain, hashOf, type RawLedger } from "./chain.ts"
import { type Answer, type Interference, type RippledServer, rippledServer } from "./rippledServer.ts"

export const moods = [
  "sound",
  /** Announces nothing, but answers. */
  "mute",
  /** Accepts requests but does not answer. */
  "frozen",
  /** Closes ledgers a few seconds late. */
  "lagging",
  /** Says lgrNotFound for ledgers it has. */
  "lacking",
  /** Answers with the open ledger, or one not validated yet. */
  "hasty",
  /** Leaves transactions out. */
  "truncating",
  /** Closes with 1008, or says slowDown or tooBusy. */
  "limiting",
  /** Drops the connection, also in the middle of an answer. */
  "dropping",
  /** Has lost the network. */
  "unsynced",
  /** Belongs to another network. */
  "foreign",
  /** Its network was reset: the same indexes, other hashes. */
  "reset",
  /** Warns of load with every answer. */
  "loaded",
  /** Announces ledgers that are far ahead, long past, skipped, or of a wrong hash. */
  "jumping",
  /** Sends text that is no answer. */
  "babbling",
  /** Too old for an amendment of the network. */
  "outdated"
] as const

export type Mood = (typeof moods)[number]

/** A small seeded generator (mulberry32): numbers from 0 to 1. */
export const generator = (seed: number): (() => number) => {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

export interface MisbehavingServer extends RippledServer {
  readonly mood: () => Mood
  readonly become: (mood: Mood) => void
  /** Call it when the network has closed this ledger; the server reacts according to its mood. */
  readonly networkCloses: (index: number) => void
}

/** The fraction of the answers that a mood spoils. */
const SPOILED = 0.6
/** How many ledgers a lagging server is late. */
const LATE = 6
const FAR = 100_000

const changedResult = (answer: Answer, change: object): Answer => ({
  ...answer,
  result: { ...answer.result, ...change }
})

interface Entry {
  readonly meta: { readonly TransactionIndex: number }
}

interface ServedLedger {
  readonly transactions?: ReadonlyArray<Entry>
}

/**
 * Removes one transaction, but never only the last one. If no count was announced, JSON does not show that the last one
 * is missing (docs/detection-rules.md 4); XRPL_VERIFY=full does.
 */
const withHole = (transactions: ReadonlyArray<Entry>, chance: () => number): ReadonlyArray<Entry> => {
  const hole = Math.floor(chance() * Math.max(1, transactions.length - 1))
  return transactions.filter(({ meta }) => meta.TransactionIndex !== hole)
}

const spoil = (
  mood: Mood,
  request: string,
  answer: Answer,
  chance: () => number
): ReturnType<Interference> => {
  const ofLedger = request.startsWith("ledger ") && answer.result !== undefined
  switch (mood) {
    case "frozen":
      return "silence"
    case "lacking":
      return ofLedger ? { error: "lgrNotFound" } : answer
    case "hasty":
      if (!ofLedger) return answer
      return chance() < 0.5
        ? changedResult(answer, { validated: false })
        : {
            result: { ledger: { closed: false, transactions: [] }, ledger_current_index: 1, validated: false }
          }
    case "truncating": {
      // The cast is safe: `rippledServer` answers `ledger` in this form.
      const ledger = answer.result?.["ledger"] as ServedLedger | undefined
      const transactions = ledger?.transactions
      return transactions === undefined || transactions.length === 0
        ? answer
        : changedResult(answer, { ledger: { ...ledger, transactions: withHole(transactions, chance) } })
    }
    case "limiting":
      return chance() < 0.4 ? "limit" : { error: chance() < 0.5 ? "slowDown" : "tooBusy" }
    case "dropping":
      return chance() < 0.5 ? "drop" : "half"
    case "unsynced":
      return { error: chance() < 0.5 ? "notSynced" : "noNetwork" }
    case "foreign":
      return request === "server_info" ? { result: { info: { network_id: 1 } } } : answer
    case "loaded":
      return { ...answer, warning: "load" }
    case "outdated":
      return { ...answer, warnings: [{ id: 1002, message: "amendment blocked" }] }
    default:
      return answer
  }
}

const always: ReadonlySet<Mood> = new Set(["frozen", "foreign", "loaded"])

/** Serves `chain(1, last)`; in the reset mood it serves another chain of the same length. */
export const misbehavingServer = Effect.fnUntraced(function* (
  last: number,
  chance: () => number
): Effect.fn.Return<MisbehavingServer, never, Scope.Scope> {
  let mood: Mood = "sound"
  let tip = 0
  const ledgers: ReadonlyArray<RawLedger> = chain(1, last)
  const afterReset = chain(1, last, { name: "after a reset" })
  const server = yield* rippledServer({
    networkId: 0,
    interfere: (request, answer) =>
      always.has(mood) || chance() < SPOILED ? spoil(mood, request, answer, chance) : answer
  })
  server.serve(ledgers)

  const jump = () => {
    const index = [tip + FAR, tip + 3, Math.max(1, tip - 50), tip][Math.floor(chance() * 4)]!
    server.send(
      JSON.stringify({
        type: "ledgerClosed",
        ledger_index: index,
        ledger_hash: hashOf(`nothing ${chance()}`),
        txn_count: 7
      })
    )
  }

  return {
    ...server,
    mood: () => mood,
    become: (next) => {
      if (next === mood) return
      if (mood === "reset") server.serve(ledgers)
      if (next === "reset") server.serve(afterReset)
      // A server that changes its identity has been started again.
      if (next === "reset" || mood === "reset" || next === "foreign" || mood === "foreign") server.drop()
      mood = next
      if (mood === "babbling")
        server.send(["null", "<html>502</html>", "Server is overloaded"][Math.floor(chance() * 3)]!)
    },
    networkCloses: (index) => {
      tip = index
      const known = mood === "lagging" ? Math.max(1, index - LATE) : index
      if (mood === "jumping" && chance() < SPOILED) {
        server.close(known, { announce: false })
        jump()
      } else server.close(known, { announce: mood !== "mute" })
      if (mood === "dropping" && chance() < 0.2) server.drop()
    }
  }
})
