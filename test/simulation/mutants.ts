/**
 * Wrong variants of the program: each is one replacement in one file of `src`, made in a copy. The simulation must
 * catch every one of them; one that survives means that a check or a fault is missing.
 */
import { spawnSync } from "node:child_process"
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

interface Mutant {
  readonly name: string
  readonly file: string
  /** Occurs once in the file. */
  readonly code: string
  readonly wrong: string
}

export const mutants: ReadonlyArray<Mutant> = [
  {
    name: "route commits before it queues",
    file: "src/route/Stage.ts",
    code: "    let refused: ReadonlySet<string> = new Set()\n",
    wrong: "    let refused: ReadonlySet<string> = new Set()\n    yield* partition.commit(nextOffset)\n"
  },
  {
    name: "route commits an event of which parts are left",
    file: "src/route/Stage.ts",
    code: "Math.min(offset, deferred.firstOffset() ?? offset)",
    wrong: "offset"
  },
  {
    name: "a webhook's delivery passes a deferred one of it",
    file: "src/route/Stage.ts",
    code: "wanting.filter(({ id }) => !deferred.has(id))",
    wrong: 'wanting.filter(({ id }) => !deferred.has(id) || id !== "")'
  },
  {
    name: "a replaced exclusive writer may write",
    file: "src/log/Exclusive.ts",
    code: "newest.get(name) === writer",
    wrong: "newest.has(name)"
  },
  {
    name: "ingest appends again without reading what has landed",
    file: "src/ledger/LedgerAppender.ts",
    code: "if (mayHaveLanded && (yield* landed(markers.at(-1)!, previous))) return",
    wrong: "if (mayHaveLanded && previous === null) return"
  },
  {
    name: "a success does not reset the counter of failures",
    file: "src/storage/deliveries/Transitions.ts",
    code: "CASE WHEN c.reset THEN c.failures ELSE w.consecutive_failures + c.failures END",
    wrong: "w.consecutive_failures + c.failures"
  },
  {
    name: "a retry whose record was lost in a crash is not appended again",
    file: "src/deliver/WorkState.ts",
    code: '? "unanswered"',
    wrong: '? "duplicate"'
  },
  {
    name: "a lane does not hear that its webhook was activated",
    file: "src/deliver/Lanes.ts",
    code: "    registry.subscribe(changed),\n",
    wrong: ""
  },
  {
    name: "route does not wait for changes of webhooks",
    file: "src/route/Stage.ts",
    code: '      yield* webhooks.upToDate.pipe(retryUntilSuccess("catching up with webhooks.config"))\n',
    wrong: ""
  },
  {
    name: "the watermark passes open deliveries",
    file: "src/deliver/Watermark.ts",
    code: "committable: () => committable",
    wrong: "committable: () => (offsets.at(-1) ?? committable - 1) + 1"
  },
  {
    name: "the outbox leaves out a row after each batch",
    file: "src/storage/outbox/Outbox.ts",
    code: "WHERE id > ${" + "afterId}::bigint",
    wrong: "WHERE id > ${" + "afterId}::bigint + 1"
  },
  {
    name: "an account filter is not looked at",
    file: "src/route/WebhookIndex.ts",
    code: "accounts: account_filters.length === 0 ? undefined : packAccountIds(account_filters)",
    wrong: "accounts: account_filters.length >= 0 ? undefined : packAccountIds(account_filters)"
  },
  {
    name: "a webhook may start one request after another",
    file: "src/deliver/TokenBucket.ts",
    code: "      tokens -= 1\n",
    wrong: "      tokens -= 0\n"
  },
  {
    name: "delay commits waiting retries with the ones that are due",
    file: "src/delay/Stage.ts",
    code: "offset: due.at(-1)!.record.offset + 1",
    wrong: "offset: waiting.at(-1)!.record.offset + 1"
  }
]

const COPIED = ["src", "test/simulation", "test/support", "topics", "schemas", "package.json"]

/** Runs the simulation with the mutant until a check fails. Returns what caught it; undefined: nothing did. */
const caughtBy = ({ code, file, wrong }: Mutant, seeds: number): string | undefined => {
  const folder = mkdtempSync(join(tmpdir(), "ledgerhook-mutant-"))
  try {
    for (const path of COPIED) cpSync(path, join(folder, path), { recursive: true })
    symlinkSync(join(process.cwd(), "node_modules"), join(folder, "node_modules"))
    const parts = readFileSync(join(folder, file), "utf8").split(code)
    if (parts.length !== 2) throw new Error(`${file} has ${parts.length - 1} places with: ${code}`)
    writeFileSync(join(folder, file), parts.join(wrong))
    const run = ["test/simulation/main.ts", "--seeds", String(seeds), "--stop"]
    const { stdout } = spawnSync(process.execPath, run, { cwd: folder, encoding: "utf8" })
    // Several seeds run at once.
    return [...stdout.matchAll(/^seed (\d+) \w+/gm)].sort((a, b) => Number(a[1]) - Number(b[1]))[0]?.[0]
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Prints a line for each mutant. Returns how many survived. */
export const runMutants = (seeds: number, print: (line: string) => void): number => {
  let survived = 0
  for (const mutant of mutants) {
    const caught = caughtBy(mutant, seeds)
    if (caught === undefined) survived++
    const [, seed, check] = caught?.split(" ") ?? []
    print(
      `| ${mutant.name} | ${caught === undefined ? `not caught in ${seeds} seeds` : `${check}, seed ${seed}`} |`
    )
  }
  return survived
}
