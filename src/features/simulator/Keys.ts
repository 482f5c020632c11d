/**
 * Addresses, and the keys of ledger entries as on the real ledger: SHA-512Half of the entry type's space and the fields
 * that identify the entry. The xrpl library computes most; checks, directories, NFT pages and NFT offers are added
 * here.
 */
import { accountIdOfAddress, addressOfAccountId } from "../../spine/event/AccountId.ts"
import { hashOfBytes } from "../../spine/ledger/servers/BinaryForm.ts"
import { loadXrpl } from "../../spine/ledger/servers/LoadXrpl.ts"
import type { Asset } from "./IntegerAmounts.ts"

/** A digest of text, for values that must look random but be equal in every run. */
export const digestOf = (text: string): string => hashOfBytes(Buffer.from(text).toString("hex"))

export const addressOf = (name: string): string => addressOfAccountId(digestOf(name).slice(0, 40))

/** Size at which a cache is emptied. New accounts appear as long as the ledger runs, so it would grow for ever. */
const REMEMBERED = 20_000

const remembered = (compute: (key: string) => string) => {
  const known = new Map<string, string>()
  return (key: string): string => {
    const found = known.get(key)
    if (found !== undefined) return found
    if (known.size >= REMEMBERED) known.clear()
    const value = compute(key)
    known.set(key, value)
    return value
  }
}

/** 40 upper-case hex digits. */
export const accountIdOf = remembered((address) => {
  const accountId = accountIdOfAddress(address)
  if (accountId === undefined) throw new Error(`Keys.accountIdOf: ${address} is not an address`)
  return accountId
})

export const isLow = (account: string, other: string): boolean => accountIdOf(account) < accountIdOf(other)

const space = (letter: string): string => letter.charCodeAt(0).toString(16).padStart(4, "0")
const uint32 = (value: number): string => value.toString(16).padStart(8, "0")

export const accountKey = remembered((address) => loadXrpl().hashes.hashAccountRoot(address))
export const ownerDirectoryKey = remembered((address) => hashOfBytes(space("O") + accountIdOf(address)))
const lineKeyOf = remembered((key) => {
  const [low, high, currency] = key.split(" ")
  return loadXrpl().hashes.hashTrustline(low!, high!, currency!)
})

export const lineKey = (account: string, other: string, currency: string): string =>
  isLow(account, other)
    ? lineKeyOf(`${account} ${other} ${currency}`)
    : lineKeyOf(`${other} ${account} ${currency}`)
export const signerListKey = (address: string): string => loadXrpl().hashes.hashSignerListId(address)
export const offerKey = (address: string, sequence: number): string =>
  loadXrpl().hashes.hashOfferId(address, sequence)
export const escrowKey = (address: string, sequence: number): string =>
  loadXrpl().hashes.hashEscrow(address, sequence)
export const checkKey = (address: string, sequence: number): string =>
  hashOfBytes(space("C") + accountIdOf(address) + uint32(sequence))
export const nftOfferKey = (address: string, sequence: number): string =>
  hashOfBytes(space("q") + accountIdOf(address) + uint32(sequence))
export const nftOffersDirectoryKey = (nftokenId: string, sells: boolean): string =>
  hashOfBytes(space(sells ? "i" : "h") + nftokenId)

/** A currency as 160 bits; zero for XRP. */
export const currencyHex = (asset: Asset): string => {
  if (asset === "XRP") return "0".repeat(40)
  if (asset.currency.length === 40) return asset.currency
  return `${"0".repeat(24)}${Buffer.from(asset.currency).toString("hex").toUpperCase()}${"0".repeat(10)}`
}

export const issuerHex = (asset: Asset): string =>
  asset === "XRP" ? "0".repeat(40) : accountIdOf(asset.issuer)

const bookBase = remembered((key) => hashOfBytes(space("B") + key).slice(0, 48))

/** The first 48 digits of the keys of a book's directories; the last 16 are the price. */
export const bookKey = (pays: Asset, gets: Asset): string =>
  bookBase(currencyHex(pays) + currencyHex(gets) + issuerHex(pays) + issuerHex(gets))

/** A price as ledger entries store it: a byte of exponent (plus 100), then a 16-digit mantissa. */
export const rateHex = (pays: bigint, gets: bigint): string => {
  const scaled = (pays * 10n ** 32n) / gets
  const digits = scaled.toString().length
  const mantissa = digits > 16 ? scaled / 10n ** BigInt(digits - 16) : scaled * 10n ** BigInt(16 - digits)
  return ((BigInt(digits - 16 - 32 + 100) << 56n) | mantissa).toString(16).toUpperCase().padStart(16, "0")
}
