/**
 * Resolves host names. Answers are cached for their time to live, at most a minute, and failures for a second;
 * concurrent requests for a name share one query. The hosts file and names without a dot go to the system's resolver.
 * Other names go to DNS directly, IPv4 and IPv6 at once, and one answer of the two is enough. The system's resolver
 * reports no time to live, and a slow name server would block its few threads. It is asked when DNS does not know a
 * name (search domains, mDNS).
 */
import type { LookupAddress } from "node:dns"
import { Resolver as DnsClient, lookup } from "node:dns/promises"
import { readFile } from "node:fs/promises"
import { Context } from "effect"
import { Limits } from "../config/Limits.ts"
import { isLocalName } from "../domain/AddressGuard.ts"

export interface Addresses {
  readonly addresses: ReadonlyArray<LookupAddress>
  /** How long the addresses may be used. Undefined if they come from the system's resolver, which does not say. */
  readonly ttlMs: number | undefined
}

export type Resolve = (hostname: string) => Promise<Addresses>

const HOSTS_FILE = "/etc/hosts"

const inHostsFile = async (hostname: string): Promise<boolean> => {
  const text = await readFile(HOSTS_FILE, "utf8").catch(() => "")
  return text.split("\n").some((line) => {
    const [, ...names] = line.replace(/#.*/, "").trim().toLowerCase().split(/\s+/)
    return names.includes(hostname.toLowerCase())
  })
}

const askSystem: Resolve = async (hostname) => ({
  addresses: await lookup(hostname, { all: true }),
  ttlMs: undefined
})

const codeOf = (error: unknown): unknown =>
  error instanceof Error && "code" in error ? error.code : undefined

/** `makeClient` makes a client that asks each of the machine's DNS servers once. */
export const resolvingBy = (makeClient: () => DnsClient, askSystem: Resolve): Resolve => {
  let client = makeClient()

  const askDns: Resolve = async (hostname) => {
    for (let tries = 1; ; tries++) {
      const answers = await Promise.allSettled([
        client.resolve4(hostname, { ttl: true }),
        client.resolve6(hostname, { ttl: true })
      ])
      // IPv4 first: on a machine without IPv6 the first address then works.
      const records = answers.flatMap((answer, i) =>
        answer.status === "fulfilled"
          ? answer.value.map((record) => ({ ...record, family: i === 0 ? 4 : 6 }))
          : []
      )
      if (records.length > 0) {
        return {
          addresses: records.map(({ address, family }) => ({ address, family })),
          ttlMs: Math.min(...records.map(({ ttl }) => ttl)) * 1_000
        }
      }
      const reasons = answers.flatMap((answer) => (answer.status === "rejected" ? [answer.reason] : []))
      const unanswered = reasons.find((reason) => codeOf(reason) === "ETIMEOUT")
      if (unanswered === undefined) throw reasons[0]
      // A client reads the list of servers once, and it may have changed.
      client = makeClient()
      if (tries === Limits.dnsTries) throw unanswered
    }
  }

  return async (hostname) => {
    if (!hostname.includes(".") || isLocalName(hostname) || (await inHostsFile(hostname))) {
      return askSystem(hostname)
    }
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
  resolvingBy(() => new DnsClient({ timeout: Limits.dnsTryMs, tries: 1 }), askSystem)

/** Tests provide their own. */
export const Resolver = Context.Reference<Resolve>("ledgerhook/deliver/Resolver", {
  defaultValue: makeSystemResolve
})

interface Remembered {
  readonly answer: Promise<Addresses>
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
    const keepFor = (ms: number) => {
      remembered.until = nowMs() + ms
    }
    remembered.answer.then(
      ({ ttlMs = Limits.dnsUnknownTtlMs }) => keepFor(Math.min(ttlMs, Limits.dnsLongestTtlMs)),
      () => keepFor(Limits.dnsFailureMs)
    )
    names.delete(hostname)
    names.set(hostname, remembered)
    const [oldest] = names.keys()
    if (names.size > Limits.dnsNames && oldest !== undefined) names.delete(oldest)
    return remembered.answer
  }
}
