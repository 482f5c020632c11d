/** Wrong variants of what finds out that the log went back (mutants.ts), for runs whose database fails over. */
import type { Mutant } from "./treeEdit.ts"

const variants: ReadonlyArray<Omit<Mutant, "failsOver">> = [
  {
    name: "what is written is not compared with the end of the log",
    caughtBy: "everyLedgerOnce",
    part: "spine/log/embedded/Tables.ts",
    sql: true,
    find: "coalesce(end_offset, 0) <> base",
    wrong: "false"
  },
  {
    name: "a consumer commits beyond the end of the log",
    caughtBy: "settles",
    part: "spine/log/embedded/Tables.ts",
    sql: true,
    find: "coalesce(end_offset, 0) < next",
    wrong: "false"
  },
  {
    name: "consumers do not go back with the log",
    caughtBy: "settles",
    part: "spine/log/embedded/Writer.ts",
    find: "left >= end",
    wrong: "true"
  },
  {
    name: "a process that the database does not know takes itself for replaced",
    caughtBy: "settles",
    part: "spine/log/embedded/Tables.ts",
    find: "Number(newest.owner) < owner",
    wrong: "false"
  },
  {
    name: "retries whose record is gone with the log are not found",
    caughtBy: "settles",
    part: "spine/deliver/Deliver.ts",
    find: "yield* LogIsBack",
    wrong: "false"
  }
]

export const failoverMutants: ReadonlyArray<Mutant> = variants.map((one) => ({
  ...one,
  failsOver: true as const
}))
