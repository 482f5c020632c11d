/**
 * The address rules against the IANA special-purpose registries: both ends of every range and their neighbours,
 * every IPv6 form that carries an IPv4 address, and every spelling of an address that a URL parser takes.
 */
import { assert, describe, it } from "@effect/vitest"
import { isPublicAddress } from "../../../src/spine/domain/AddressGuard.ts"
import { calledUrl, endpointProblem } from "../../../src/spine/domain/EndpointUrl.ts"

/** iana-ipv4-special-registry, and multicast. */
const specialV4 = [
  ["0.0.0.0/8", "this network"],
  ["10.0.0.0/8", "private"],
  ["100.64.0.0/10", "carrier-grade NAT"],
  ["127.0.0.0/8", "loopback"],
  ["169.254.0.0/16", "link-local, cloud metadata"],
  ["172.16.0.0/12", "private"],
  ["192.0.0.0/24", "IETF protocol assignments"],
  ["192.0.2.0/24", "documentation"],
  ["192.31.196.0/24", "AS112"],
  ["192.52.193.0/24", "AMT"],
  ["192.88.99.0/24", "6to4 relays"],
  ["192.168.0.0/16", "private"],
  ["192.175.48.0/24", "AS112"],
  ["198.18.0.0/15", "benchmarking"],
  ["198.51.100.0/24", "documentation"],
  ["203.0.113.0/24", "documentation"],
  ["224.0.0.0/4", "multicast"],
  ["240.0.0.0/4", "reserved"],
  ["255.255.255.255/32", "broadcast"]
] as const

/** iana-ipv6-special-registry but for 6to4 and NAT64's well-known prefix, multicast, and what was never assigned. */
const specialV6 = [
  ["::/128", "unspecified"],
  ["::1/128", "loopback"],
  ["::/96", "IPv4-compatible"],
  ["::ffff:0:0/96", "IPv4-mapped"],
  ["::ffff:0:0:0/96", "IPv4-translated"],
  ["64:ff9b:1::/48", "NAT64 of a site's own"],
  ["100::/64", "discard"],
  ["100:0:0:1::/64", "dummy prefix"],
  ["2001::/23", "IETF protocol assignments"],
  ["2001::/32", "Teredo"],
  ["2001:1::1/128", "port control anycast"],
  ["2001:1::2/128", "TURN anycast"],
  ["2001:1::3/128", "DNS-SD anycast"],
  ["2001:2::/48", "benchmarking"],
  ["2001:3::/32", "AMT"],
  ["2001:4:112::/48", "AS112"],
  ["2001:10::/28", "ORCHID"],
  ["2001:20::/28", "ORCHIDv2"],
  ["2001:30::/28", "drone remote ID"],
  ["2001:db8::/32", "documentation"],
  ["2620:4f:8000::/48", "AS112"],
  ["3fff::/20", "documentation"],
  ["4000::/3", "not assigned"],
  ["5f00::/16", "segment routing"],
  ["6000::/3", "not assigned"],
  ["fc00::/7", "unique local"],
  ["fe80::/10", "link-local"],
  ["fec0::/10", "site-local"],
  ["ff00::/8", "multicast"]
] as const

const v4Number = (ip: string): bigint => ip.split(".").reduce((sum, byte) => sum * 256n + BigInt(byte), 0n)
const v4Text = (value: bigint): string => [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 255n).join(".")

const v6Number = (ip: string): bigint => {
  const [head = "", tail = ""] = ip.split("::")
  const groups = (text: string) => (text === "" ? [] : text.split(":"))
  const [before, after] = [groups(head), groups(tail)]
  const between = Array.from({ length: 8 - before.length - after.length }, () => "0")
  return [...before, ...between, ...after].reduce((sum, group) => sum * 65_536n + BigInt(`0x${group}`), 0n)
}
const v6Text = (value: bigint): string =>
  Array.from({ length: 8 }, (_, i) => ((value >> BigInt(16 * (7 - i))) & 0xffffn).toString(16)).join(":")

/** The first and last address of a range. */
const ends = (range: string): readonly [string, string] => {
  const [base = "", prefix = ""] = range.split("/")
  const isV6 = base.includes(":")
  const size = 1n << (BigInt(isV6 ? 128 : 32) - BigInt(prefix))
  const first = isV6 ? v6Number(base) : v4Number(base)
  const text = isV6 ? v6Text : v4Text
  return [text(first), text(first + size - 1n)]
}

/** Forms of IPv6 address that carry an IPv4 address, as written with `hi` and `lo` of 16 bits in hex. */
const carriers = (ip: string): Readonly<Record<string, string>> => {
  const value = v4Number(ip)
  const [hi, lo] = [value >> 16n, value & 0xffffn].map((half) => half.toString(16))
  const [flippedHi, flippedLo] = [~(value >> 16n) & 0xffffn, ~value & 0xffffn].map((half) =>
    half.toString(16)
  )
  return {
    "IPv4-mapped": `::ffff:${hi}:${lo}`,
    "IPv4-mapped, dotted": `::ffff:${ip}`,
    "IPv4-compatible": `::${hi}:${lo}`,
    "IPv4-translated": `::ffff:0:${hi}:${lo}`,
    NAT64: `64:ff9b::${hi}:${lo}`,
    "NAT64, dotted": `64:ff9b::${ip}`,
    "NAT64 of a site's own": `64:ff9b:1::${hi}:${lo}`,
    "6to4": `2002:${hi}:${lo}::1`,
    ISATAP: `2a00::5efe:${hi}:${lo}`,
    "ISATAP, dotted": `2a00:1450:4001:82a:0:5efe:${ip}`,
    "ISATAP, universal": `2a00:1450:4001:82a:200:5efe:${hi}:${lo}`,
    "ISATAP, group": `2606:4700::300:5efe:${ip}`,
    "ISATAP in 6to4": `2002:808:808:1:0:5efe:${hi}:${lo}`,
    Teredo: `2001:0:808:808:0:0:${flippedHi}:${flippedLo}`
  }
}
/** The forms that stand for a public address where the one inside is public. */
const publicCarriers = ["NAT64", "NAT64, dotted", "6to4"]

/** The direct neighbours of the ranges, and addresses in use. */
const allowed = [
  "1.0.0.0 1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0 169.253.255.255",
  "169.255.0.0 172.15.255.255 172.32.0.0 191.255.255.255 192.0.1.0 192.0.1.255 192.0.3.0 192.31.195.255 192.31.197.0",
  "192.52.192.255 192.52.194.0 192.88.98.255 192.88.100.0 192.167.255.255 192.169.0.0 192.175.47.255 192.175.49.0",
  "198.17.255.255 198.20.0.0 198.51.99.255 198.51.101.0 203.0.112.255 203.0.114.0 223.255.255.255",
  "2000:: 2001:200:: 2001:db7:ffff:ffff:ffff:ffff:ffff:ffff 2001:db9:: 2001:4860:4860::8888 2003:: 2606:4700:4700::1111",
  "2620:4f:7fff:ffff:ffff:ffff:ffff:ffff 2620:4f:8001:: 2a00:1450::1 2a00::5eff:7f00:1 2a00::400:5efe:7f00:1 2a00::5efe:0:7f00:1 3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff 3fff:1000::"
].flatMap((line) => line.split(" "))

const strict = { allowHttp: false, allowPrivateAddresses: false }

describe("AddressGuard", () => {
  it.each([...specialV4, ...specialV6])(
    "%s (%s) is not public, from its first to its last address",
    (range) => {
      for (const ip of ends(range)) assert.isFalse(isPublicAddress(ip), ip)
    }
  )

  it.each(allowed)("%s is public", (ip) => assert.isTrue(isPublicAddress(ip)))

  it.each(specialV4)("%s (%s) is not public inside an IPv6 address either", (range) => {
    for (const inner of ends(range)) {
      for (const [form, ip] of Object.entries(carriers(inner)))
        assert.isFalse(isPublicAddress(ip), `${form} ${ip}`)
    }
  })

  it.each(["8.8.8.8", "223.255.255.255", "172.15.255.255"])(
    "%s inside counts only where it is reached",
    (inner) => {
      for (const [form, ip] of Object.entries(carriers(inner)))
        assert.strictEqual(isPublicAddress(ip), publicCarriers.includes(form), `${form} ${ip}`)
    }
  )

  it.each(["fe80::1%eth0", "2606:4700::1%eth0", "::ffff:8.8.8.8%1"])(
    "%s has a zone and is not public",
    (ip) => assert.isFalse(isPublicAddress(ip))
  )

  it.each([
    "",
    "example.com",
    "1.2.3",
    "1.2.3.4.5",
    "256.1.1.1",
    "[::1]",
    "0x7f.1",
    "2130706433",
    "010.0.0.1"
  ])("%j is no address as an operating system gives it", (text) => assert.isFalse(isPublicAddress(text)))
})

describe("endpointProblem", () => {
  it.each([
    ["plain", "127.0.0.1"],
    ["decimal", "2130706433"],
    ["decimal, of 169.254.169.254", "2852039166"],
    ["hex", "0x7f000001"],
    ["hex, upper case", "0X7F000001"],
    ["octal", "017700000001"],
    ["octal parts", "0177.0.0.1"],
    ["padded octal parts", "0000177.0.0.01"],
    ["mixed parts", "0x7f.1"],
    ["two parts", "127.1"],
    ["three parts", "192.168.257"],
    ["zero", "0"],
    ["trailing dot", "127.0.0.1."],
    ["trailing dot after hex", "0x7f.1."],
    ["fullwidth digits", "１２７.0.0.1"],
    ["circled digits", "①②⑦.0.0.1"],
    ["fullwidth dots", "127。0。0。1"],
    ["percent-encoded", "%31%32%37.0.0.1"],
    ["metadata", "169.254.169.254"],
    ["IPv6 loopback", "[::1]"],
    ["IPv6 loopback in full", "[0:0:0:0:0:0:0:1]"],
    ["IPv6 unspecified", "[::]"],
    ["mapped", "[::ffff:7f00:1]"],
    ["mapped, dotted, upper case", "[::FFFF:192.168.0.1]"],
    ["mapped, of a public address", "[::ffff:8.8.8.8]"],
    ["compatible", "[::127.0.0.1]"],
    ["NAT64", "[64:ff9b::a00:1]"],
    ["6to4", "[2002:7f00:1::]"],
    ["Teredo", "[2001:0:4136:e378:8000:63bf:3fff:fdd2]"],
    ["ISATAP", "[2a00::5efe:127.0.0.1]"],
    ["ISATAP, universal", "[2a00::200:5efe:10.0.0.1]"],
    ["unique local", "[fd00::1]"],
    ["link-local", "[fe80::1]"],
    ["localhost", "localhost"],
    ["localhost, upper case, with a port", "LOCALHOST:8443"],
    ["localhost, trailing dot", "localhost."],
    ["localhost, fullwidth", "ｌｏｃａｌｈｏｓｔ"],
    ["localhost, percent-encoded", "%6cocalhost"],
    ["a name under localhost", "api.localhost"]
  ])("refuses a special address: %s", (_, host) =>
    assert.match(endpointProblem(`https://${host}/hook`, strict) ?? "", /public address/)
  )

  it("allows private addresses if the operator does", () =>
    assert.isUndefined(endpointProblem("https://127.0.0.1/", { ...strict, allowPrivateAddresses: true })))

  it.each([
    ["http://example.com/", /must be an https URL/],
    ["ftp://example.com/", /must be an https URL/],
    ["example.com/hook", /absolute https URL/],
    ["", /absolute https URL/],
    ["https://[fe80::1%25eth0]/", /absolute https URL/],
    ["https://256.1.1.1/", /absolute https URL/],
    ["https://example.com/a b", /spaces/],
    ["https://example.com/a\tb", /spaces or control/],
    ["https://user:secret@example.com/", /user name/],
    ["https://user@example.com/", /user name/],
    [`https://example.com/${"a".repeat(2_048)}`, /2048 characters/],
    [`https://example.com/${"ü".repeat(700)}`, /2048 characters after percent-encoding/],
    ["https://example.com/#", /fragment/],
    ["https://example.com/a?b#c", /fragment/],
    ["https://example.com:0/", /port 0/],
    ["https://a..b/", /host name of parts/],
    ["https://.example.com/", /host name of parts/],
    ["https://example.com../", /host name of parts/],
    ["https://./", /host name of parts/],
    ["https://*.example.com/", /host name of parts/],
    ["https://a,b.example.com/", /host name of parts/],
    [`https://${"a".repeat(64)}.example.com/`, /1 to 63/],
    [`https://${"ü".repeat(62)}.example.com/`, /1 to 63/],
    [`https://${"a.".repeat(126)}com/`, /at most 253/]
  ])("says what is wrong with %s", (url, expected) =>
    assert.match(endpointProblem(url, strict) ?? "", expected)
  )

  it.each([
    "example.com.",
    "my_shop.example.com",
    "_a.-b.example.com",
    `${"a".repeat(63)}.com`,
    `${"a.".repeat(125)}com`
  ])("accepts a host that can resolve: %s", (host) =>
    assert.isUndefined(endpointProblem(`https://${host}/`, strict))
  )

  it("accepts public https addresses, and http if allowed", () => {
    assert.isUndefined(endpointProblem("https://example.com:8443/hook?a=1", strict))
    assert.isUndefined(endpointProblem("https://8.8.8.8/", strict))
    assert.isUndefined(endpointProblem("https://[2606:4700:4700::1111]/", strict))
    assert.isUndefined(endpointProblem("http://example.com/", { ...strict, allowHttp: true }))
  })
})

describe("calledUrl", () => {
  it.each([
    ["HTTPS://EXAMPLE.com:443", "https://example.com/"],
    ["https://example.com/a/./b/../c", "https://example.com/a/c"],
    ["https://example.com/a/%2E%2e/b", "https://example.com/b"],
    ["https://example.com/a%2Fb//c;d=%zz", "https://example.com/a%2Fb//c;d=%zz"],
    ["https:example.com\\a", "https://example.com/a"],
    ["https://@example.com:/?", "https://example.com/"],
    ["https://example.com?b=ü&c='", "https://example.com/?b=%C3%BC&c=%27"],
    ["https://example.com./ü", "https://example.com./%C3%BC"],
    ["https://Bücher.example/", "https://xn--bcher-kva.example/"],
    ["https://0x8.8.2056:8443/", "https://8.8.8.8:8443/"],
    ["https://[2606:4700:4700:0::1111]/", "https://[2606:4700:4700::1111]/"]
  ])("%s is called as %s", (url, called) => {
    assert.isUndefined(endpointProblem(url, strict))
    assert.strictEqual(calledUrl(url), called)
    assert.strictEqual(calledUrl(called), called)
    const { origin, pathname, search } = new URL(called)
    assert.strictEqual(origin + pathname + search, called)
  })
})
