/**
 * The addresses of host names, remembered for their time to live, a minute at most; a failure for a second. One question
 * a name at a time, whoever waits for it. What the machine itself says of a name goes first (its hosts file, names
 * without a dot); else DNS is asked directly, since the system's own lookup tells no time to live and a slow name server
 * would keep one of its few threads; a name that DNS does not know is left to the system (search domains, mDNS). Both
 * kinds of address are asked for at once, and where only one question is answered its answer does.
 */
import type { LookupAddress } from "node:dns"
import { Resolver as DnsClient, lookup } from "node:dns/promises"
import { readFile } from "node:fs/promises"
import { Context } from "effect"
import { Limits } from "../config/Limits.ts"
import { isLocalName } from "../domain/AddressGuard.ts"

export interface Addresses {
  /** Not empty. */
  readonly addresses: ReadonlyArray<LookupAddress>
  /** How long they may be used; unknown for what the system says. */
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

/** `makeClient` makes one that asks each of the machine's DNS servers once. */
export const resolvingBy = (makeClient: () => DnsClient, askSystem: Resolve): Resolve => {
  let client = makeClient()

  const askDns: Resolve = async (hostname) => {
    for (let tries = 1; ; tries++) {
      const answers = await Promise.allSettled([
        client.resolve4(hostname, { ttl: true }),
        client.resolve6(hostname, { ttl: true })
      ])
      // IPv4 first: where IPv6 leads nowhere, no connection has to find that out.
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
      // The servers may be others by now: a client reads them once.
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
      // Refused: there is no DNS server where one was expected.
      if (code === "ENOTFOUND" || code === "ECONNREFUSED") return askSystem(hostname)
      throw error
    }
  }
}

const makeSystemResolve = (): Resolve =>
  resolvingBy(() => new DnsClient({ timeout: Limits.dnsTryMs, tries: 1 }), askSystem)

/** What asks for a name's addresses; a test may have answers of its own. */
export const Resolver = Context.Reference<Resolve>("ledgerhook/deliver/Resolver", {
  defaultValue: makeSystemResolve
})

interface Remembered {
  readonly answer: Promise<Addresses>
  /** On the clock of `nowMs`; infinite while the answer is awaited. */
  until: number
}

/** `resolve` with a memory. */
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
