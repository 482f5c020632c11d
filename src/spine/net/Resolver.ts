/**
 * Resolves host names. Answers are cached for their time to live, at most a minute, and failures for a second;
 * concurrent requests for a name share one query. The hosts file and names without a dot go to the system's resolver.
 * Other names go to DNS directly, IPv4 and IPv6 at once. The first answer waits at most 50 ms for the other one
 * (RFC 8305, section 3), which may come later. The system's resolver reports no time to live, and a slow name server
 * would block its few threads. It is asked when DNS does not know a name (search domains, mDNS).
 */

import type { LookupAddress as Address, RecordWithTtl } from "node:dns"
import { Resolver as DnsClient, lookup } from "node:dns/promises"
import { open, readFile } from "node:fs/promises"
import { Context, Effect } from "effect"
import { isLocalName } from "../domain/AddressGuard.ts"
import { netLimits } from "./Limits.ts"

/** The time to live of addresses that have none, such as those from the hosts file. They may change. */
const UNKNOWN_TTL_MS = 5_000
/** A name that did not resolve is not queried again within this time. */
const FAILURE_MS = 1_000
/** How often a DNS server is asked while nobody answers. */
export const TRIES = 3
/** How long the first answer, for IPv4 or IPv6, waits for the other (RFC 8305, section 3). */
const OTHER_FAMILY_MS = 50

export type { Address }

export interface Addresses {
  readonly addresses: ReadonlyArray<Address>
  /** How long the addresses may be used. Undefined if they come from the system's resolver, which does not say. */
  readonly ttlMs: number | undefined
  /** If only one family was answered in time: the addresses of both, or of this one if the other has none. */
  readonly later?: Promise<Addresses>
}

export type Resolve = (hostname: string) => Promise<Addresses>

const HOSTS_FILE = "/etc/hosts"

const withoutRootDot = (hostname: string): string => hostname.replace(/\.$/, "")

const inHostsFile = async (name: string): Promise<boolean> => {
  const text = await readFile(HOSTS_FILE, "utf8").catch(() => "")
  return text.split("\n").some((line) => {
    const [, ...names] = line.replace(/#.*/, "").trim().toLowerCase().split(/\s+/)
    return names.includes(name.toLowerCase())
  })
}

const askSystem: Resolve = async (hostname) => {
  try {
    return { addresses: await lookup(hostname, { all: true }), ttlMs: undefined }
  } catch (error) {
    // Without a free file descriptor no name is found, and this fails with the cause. c-ares then says "connection
    // refused", and the system is asked.
    await (await open("/dev/null")).close()
    throw error
  }
}

const codeOf = (error: unknown): unknown =>
  error instanceof Error && "code" in error ? error.code : undefined

/** What DNS answered for one family. */
interface FamilyAnswer {
  readonly family: 4 | 6
  readonly records: ReadonlyArray<RecordWithTtl>
  /** Why there are no records. */
  readonly reason?: unknown
}

const answerOf = (family: 4 | 6, query: Promise<Array<RecordWithTtl>>): Promise<FamilyAnswer> =>
  query.then(
    (records) => ({ family, records }),
    (reason: unknown) => ({ family, records: [], reason })
  )

const addressesOf = (answers: ReadonlyArray<FamilyAnswer>): Addresses => {
  const records = answers.flatMap(({ family, records }) => records.map((record) => ({ ...record, family })))
  return {
    addresses: records.map(({ address, family }) => ({ address, family })),
    ttlMs: Math.min(...records.map(({ ttl }) => ttl)) * 1_000
  }
}

/** One family's answer if it has records and the other's does not come soon; otherwise both. */
const answersInTime = async (queries: ReadonlyArray<Promise<FamilyAnswer>>) => {
  const both = Promise.all(queries)
  const found = Promise.any(
    queries.map(async (query) => {
      const answer = await query
      if (answer.records.length === 0) throw answer.reason
      return answer
    })
  )
  const oneInTime = found.then(async (answer) => {
    await Effect.runPromise(Effect.sleep(OTHER_FAMILY_MS))
    return [answer]
  })
  return Promise.race([both, oneInTime.catch(() => both)])
}

/** `makeClient` makes a client that asks each of the machine's DNS servers once. */
export const resolvingBy = (makeClient: () => DnsClient, askSystem: Resolve): Resolve => {
  let client = makeClient()

  const askDns: Resolve = async (hostname) => {
    for (let tries = 1; ; tries++) {
      const queries = [
        answerOf(4, client.resolve4(hostname, { ttl: true })),
        answerOf(6, client.resolve6(hostname, { ttl: true }))
      ]
      const answers = await answersInTime(queries)
      if (answers.length < queries.length)
        return { ...addressesOf(answers), later: Promise.all(queries).then(addressesOf) }
      if (answers.some(({ records }) => records.length > 0)) return addressesOf(answers)
      const reasons = answers.map(({ reason }) => reason)
      const unanswered = reasons.find((reason) => codeOf(reason) === "ETIMEOUT")
      if (unanswered === undefined) throw reasons[0]
      // A client reads the list of servers once, and it may have changed.
      client = makeClient()
      if (tries === TRIES) throw unanswered
    }
  }

  return async (hostname) => {
    // The hosts file has names without the root's dot only.
    const name = withoutRootDot(hostname)
    if (!name.includes(".") || isLocalName(name) || (await inHostsFile(name))) return askSystem(name)
    try {
      return await askDns(hostname)
    } catch (error) {
      const code = codeOf(error)
      // ECONNREFUSED: no DNS server listens at the configured address.
      if (code === "ENOTFOUND" || code === "ECONNREFUSED") return askSystem(hostname)
      throw error
    }
  }
}

const makeSystemResolve = (): Resolve =>
  resolvingBy(() => new DnsClient({ timeout: netLimits.dnsTryMs, tries: 1 }), askSystem)

/** Tests provide their own. */
export const Resolver = Context.Reference<Resolve>("ledgerhook/net/Resolver", {
  defaultValue: makeSystemResolve
})

interface Remembered {
  answer: Promise<Addresses>
  /** On the clock of `nowMs`. Infinity while the name is being resolved. */
  until: number
}

/** Adds a cache to `resolve`. */
export const remembering = (resolve: Resolve, nowMs: () => number): Resolve => {
  const names = new Map<string, Remembered>()
  return (hostname) => {
    const known = names.get(hostname)
    if (known !== undefined && nowMs() < known.until) return known.answer
    const remembered: Remembered = { answer: resolve(hostname), until: Number.POSITIVE_INFINITY }
    const remember = (answer: Promise<Addresses>) => {
      remembered.answer = answer
      answer.then(
        ({ later, ttlMs = UNKNOWN_TTL_MS }) => {
          remembered.until = nowMs() + Math.min(ttlMs, netLimits.dnsLongestTtlMs)
          if (later !== undefined) later.then(() => remember(later))
        },
        () => {
          remembered.until = nowMs() + FAILURE_MS
        }
      )
    }
    remember(remembered.answer)
    names.delete(hostname)
    names.set(hostname, remembered)
    const [oldest] = names.keys()
    if (names.size > netLimits.dnsNames && oldest !== undefined) names.delete(oldest)
    return remembered.answer
  }
}
