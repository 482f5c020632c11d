/** Limits of accounts, keys and sessions. The plan (domain/Plans.ts) limits how many keys an account has. */

export const accountBounds = {
  /** Characters of the name of a key or an account. */
  nameLength: 100,
  /** How long a link signs in. */
  signInLinkMs: 10 * 60_000,
  /** Sessions and unused links of one key. One more is refused. */
  sessionsPerKey: 100
} as const
