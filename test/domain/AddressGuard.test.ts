import { assert, describe, it } from "@effect/vitest"
import { isPublicAddress } from "../../src/domain/AddressGuard.ts"
import { endpointProblem } from "../../src/domain/EndpointUrl.ts"

const refused = [
  "0.0.0.0 0.255.255.255 10.0.0.0 10.255.255.255 100.64.0.0 100.127.255.255 127.0.0.1 127.255.255.255",
  "169.254.0.0 169.254.169.254 172.16.0.0 172.31.255.255 192.0.0.0 192.0.0.255 192.0.2.1 192.31.196.1 192.52.193.1",
  "192.88.99.1 192.168.0.0 192.168.255.255 192.175.48.1 198.18.0.0 198.19.255.255 198.51.100.7 203.0.113.9",
  "224.0.0.1 239.255.255.255 240.0.0.0 255.255.255.255",
  ":: ::1 ::7f00:1 ::ffff:8.8.8.8 ::ffff:127.0.0.1 ::ffff:0:808:808 64:ff9b:1::1 64:ff9b:1:ffff::808:808",
  "64:ff9b::10.0.0.1 64:ff9b::7f00:1 64:ff9b::a9fe:a9fe 100::1 100:0:0:1::1",
  "2001::1 2001:0:4136:e378:8000:63bf:3fff:fdd2 2001:2::1 2001:10::1 2001:20::1 2001:30::1 2001:1ff:ffff::1",
  "2001:db8::1 2002:7f00:1:: 2002:a00:1::1 2002:c0a8:101::c0a8:101 2002:a9fe:a9fe:: 2620:4f:8000::1 3fff::1",
  "3fff:fff:ffff::1 4000::1 5f00::1 fc00::1 fdff::1 fe80::1 fe80::1%eth0 febf::1 fec0::1 ff02::1 ff0e::1",
  "2606:4700::1%eth0"
].flatMap((line) => line.split(" "))

const allowed = [
  "1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.1 169.253.255.255",
  "172.15.255.255 172.32.0.0 192.0.1.1 192.0.3.1 192.167.255.255 192.169.0.0 198.17.255.255 198.20.0.0 223.255.255.255",
  "2606:4700:4700::1111 2001:200::1 2001:4860:4860::8888 2001:db9::1 2a00:1450::1 2002:808:808::1 64:ff9b::8.8.8.8",
  "2003::1 3ffe::1"
].flatMap((line) => line.split(" "))

const strict = { allowHttp: false, allowPrivateAddresses: false, maxLength: 2_048 }

describe("AddressGuard", () => {
  it.each(refused)("%s is not public", (ip) => assert.isFalse(isPublicAddress(ip)))
  it.each(allowed)("%s is public", (ip) => assert.isTrue(isPublicAddress(ip)))
  it.each(["", "example.com", "1.2.3", "1.2.3.4.5", "256.1.1.1", "[::1]"])("%j is no address", (text) =>
    assert.isFalse(isPublicAddress(text))
  )
})

describe("endpointProblem", () => {
  it.each([
    "https://127.0.0.1/hook",
    "https://2130706433/",
    "https://0x7f000001/",
    "https://0x7f.1/",
    "https://0177.0.0.1/",
    "https://127.1/",
    "https://127.0.0.1./",
    "https://①②⑦.0.0.1/",
    "https://0/",
    "https://[::1]/",
    "https://[::ffff:7f00:1]/",
    "https://[::FFFF:192.168.0.1]/",
    "https://[0:0:0:0:0:0:0:1]/",
    "https://[64:ff9b::a00:1]/",
    "https://169.254.169.254/latest/meta-data",
    "https://localhost/",
    "https://LOCALHOST:8443/",
    "https://localhost./",
    "https://api.localhost/"
  ])("refuses %s", (url) => assert.match(endpointProblem(url, strict) ?? "", /public address/))

  it("lets private addresses through where the operator allows them", () =>
    assert.isUndefined(endpointProblem("https://127.0.0.1/", { ...strict, allowPrivateAddresses: true })))

  it.each([
    ["http://example.com/", /must be an https URL/],
    ["ftp://example.com/", /must be an https URL/],
    ["example.com/hook", /absolute https URL/],
    ["", /absolute https URL/],
    ["https://user:secret@example.com/", /user name/],
    ["https://user@example.com/", /user name/],
    [`https://example.com/${"a".repeat(2_048)}`, /2048 characters/]
  ])("says what is wrong with %s", (url, expected) =>
    assert.match(endpointProblem(url, strict) ?? "", expected)
  )

  it("takes public https addresses, and http where allowed", () => {
    assert.isUndefined(endpointProblem("https://example.com:8443/hook?a=1", strict))
    assert.isUndefined(endpointProblem("https://8.8.8.8/", strict))
    assert.isUndefined(endpointProblem("http://example.com/", { ...strict, allowHttp: true }))
  })
})
