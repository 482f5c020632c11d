/**
 * Every advisory lock of the program in one table, so that no two share a number. PostgreSQL knows them as bigints: a
 * name of up to seven ASCII letters is one.
 */
const numbered = (name: string): string =>
  BigInt(`0x${Buffer.from(name, "ascii").toString("hex")}`).toString()

export const AdvisoryLocks = {
  /** Held by the process that owns the embedded log, as long as its connection lives. */
  logOwner: numbered("logown"),
  /** Held to the end of a transaction that writes to the outbox: ids then commit in their own order. */
  outboxOrder: numbered("outbox"),
  /** Held while the first account is made. */
  firstAccount: numbered("account"),
  /** Held by the command that changes the key of webhook secrets, as long as its connection lives. */
  secretsRotation: numbered("secrets"),
  /** Held while table partitions are made: CREATE IF NOT EXISTS alone fails when two race. */
  partitions: numbered("partday")
} as const
