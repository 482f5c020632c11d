/**
 * Decides whether an endpoint may have an IP address: only public ones are allowed. The tables follow IANA's
 * special-purpose registries strictly: everything except ordinary global unicast is denied. An IPv6 address is also
 * denied if it contains a denied IPv4 address (6to4, NAT64) or has an ISATAP interface identifier. A provider's own
 * NAT64 or 6rd prefix cannot be recognised. The API checks literal addresses in URLs with it. Deliver checks every
 * address before it connects. Pure.
 */
import { BlockList, isIP } from "node:net"

type Subnet = readonly [address: string, prefix: number]

const deniedV4: ReadonlyArray<Subnet> = [
  ["0.0.0.0", 8], // this network
  ["10.0.0.0", 8], // private
  ["100.64.0.0", 10], // carrier-grade NAT
  ["127.0.0.0", 8], // loopback
  ["169.254.0.0", 16], // link-local, cloud metadata
  ["172.16.0.0", 12], // private
  ["192.0.0.0", 24], // IETF protocol assignments
  ["192.0.2.0", 24], // documentation
  ["192.31.196.0", 24], // AS112
  ["192.52.193.0", 24], // AMT relays
  ["192.88.99.0", 24], // 6to4 relays, deprecated
  ["192.168.0.0", 16], // private
  ["192.175.48.0", 24], // AS112
  ["198.18.0.0", 15], // benchmarking
  ["198.51.100.0", 24], // documentation
  ["203.0.113.0", 24], // documentation
  ["224.0.0.0", 4], // multicast
  ["240.0.0.0", 4] // reserved, limited broadcast
]

/** The only global unicast space assigned. Outside it: loopback, mapped, unique-local, link-local, multicast, … */
const GLOBAL_UNICAST: Subnet = ["2000::", 3]
/** NAT64's well-known prefix: outside global unicast, but it reaches the public IPv4 address inside. */
const NAT64: Subnet = ["64:ff9b::", 96]

const deniedV6: ReadonlyArray<Subnet> = [
  ["2001::", 23], // IETF protocol assignments: Teredo, ORCHID, benchmarking, AMT
  ["2001:db8::", 32], // documentation
  ["2620:4f:8000::", 48], // AS112
  ["3fff::", 20] // documentation
]

/** `10.0.0.0` → `0a00:0000`. */
const hexOf = (address: string): string => {
  const digits = address
    .split(".")
    .map((byte) => Number(byte).toString(16).padStart(2, "0"))
    .join("")
  return `${digits.slice(0, 4)}:${digits.slice(4)}`
}

const listOf = (family: "ipv4" | "ipv6", subnets: ReadonlyArray<Subnet>): BlockList => {
  const list = new BlockList()
  for (const [address, prefix] of subnets) list.addSubnet(address, prefix, family)
  return list
}

const denied4 = listOf("ipv4", deniedV4)
const reachable6 = listOf("ipv6", [GLOBAL_UNICAST, NAT64])
const denied6 = listOf("ipv6", [
  ...deniedV6,
  ...deniedV4.map(([address, prefix]): Subnet => [`2002:${hexOf(address)}::`, 16 + prefix]),
  ...deniedV4.map(([address, prefix]): Subnet => [`64:ff9b::${hexOf(address)}`, 96 + prefix])
])

/** The eight groups of an IPv6 address without a zone. */
const groupsOf = (ip: string): ReadonlyArray<number> => {
  // The parser of URLs turns a dotted tail into two groups.
  const [head = "", tail] = new URL(`http://[${ip}]`).hostname.slice(1, -1).split("::")
  const groups = (text: string) =>
    text === "" ? [] : text.split(":").map((group) => Number.parseInt(group, 16))
  if (tail === undefined) return groups(head)
  const [before, after] = [groups(head), groups(tail)]
  return [...before, ...new Array<number>(8 - before.length - after.length).fill(0), ...after]
}

/**
 * RFC 5214: with the interface identifier `5efe:a.b.c.d`, packets go to that IPv4 address, whatever the prefix. The
 * mask ignores the "universal" and "group" bits, which may have any value.
 */
const isIsatap = (ip: string): boolean => {
  const groups = groupsOf(ip)
  return (groups[4]! & 0xfcff) === 0 && groups[5] === 0x5efe
}

/**
 * False for text that is not an IP address, and for an address with a zone (`fe80::1%eth0`): zones are never global.
 */
export const isPublicAddress = (ip: string): boolean => {
  switch (isIP(ip)) {
    case 4:
      return !denied4.check(ip, "ipv4")
    case 6:
      return !ip.includes("%") && reachable6.check(ip, "ipv6") && !denied6.check(ip, "ipv6") && !isIsatap(ip)
    default:
      return false
  }
}

/** The address in a URL's host name, if it is a literal one: `127.0.0.1`, `[::1]`. */
export const literalAddress = (hostname: string): string | undefined => {
  const bare = hostname.startsWith("[") && hostname.endsWith("]") ? hostname.slice(1, -1) : hostname
  return isIP(bare) === 0 ? undefined : bare
}

/** Names that mean this machine whatever a resolver says (RFC 6761). */
export const isLocalName = (hostname: string): boolean => /^(?:.+\.)?localhost\.?$/i.test(hostname)
