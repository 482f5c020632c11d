/** Computes which directories list an entry: those of its owners, of its order book, and of the offers for its NFT. */
import type { Json, JsonObject } from "../../spine/event/Ledger.ts"
import { assetOf, quantityOf } from "./IntegerAmounts.ts"
import { bookKey, currencyHex, issuerHex, nftOffersDirectoryKey, ownerDirectoryKey, rateHex } from "./Keys.ts"
import type { EntryType } from "./LedgerState.ts"

export interface Directory {
  readonly index: string
  readonly fields: JsonObject
}

const text = (fields: JsonObject, name: string): string | undefined => {
  const value = fields[name]
  return typeof value === "string" ? value : undefined
}

/** Flags of the directories that list the offers for one NFT. */
const lsfNFTokenBuyOffers = 1
const lsfNFTokenSellOffers = 2
/** Flag of an NFT offer that sells. */
export const lsfSellNFToken = 1

const ownerDirectory = (owner: string): Directory => {
  const index = ownerDirectoryKey(owner)
  return { index, fields: { Flags: 0, Owner: owner, RootIndex: index } }
}

/** How many hex digits of a book directory's key are the price. */
const RATE_DIGITS = 16

/** The key of the directory for offers of this book at this price. */
export const bookDirectoryKey = (pays: Json, gets: Json): string =>
  bookKey(assetOf(pays), assetOf(gets)) + rateHex(quantityOf(pays), quantityOf(gets))

/** Read from the offer's stored key: a partly filled offer stays in the directory of its original price. */
const bookDirectory = (offer: JsonObject): Directory => {
  const index = String(offer["BookDirectory"])
  const pays = assetOf(offer["TakerPays"])
  const gets = assetOf(offer["TakerGets"])
  return {
    index,
    fields: {
      ExchangeRate: index.slice(-RATE_DIGITS),
      Flags: 0,
      RootIndex: index,
      TakerGetsCurrency: currencyHex(gets),
      TakerGetsIssuer: issuerHex(gets),
      TakerPaysCurrency: currencyHex(pays),
      TakerPaysIssuer: issuerHex(pays)
    }
  }
}

const nftOffersDirectory = (offer: JsonObject): Directory => {
  const nftokenId = String(offer["NFTokenID"])
  const sells = offer["Flags"] === lsfSellNFToken
  const index = nftOffersDirectoryKey(nftokenId, sells)
  const flags = sells ? lsfNFTokenSellOffers : lsfNFTokenBuyOffers
  return { index, fields: { Flags: flags, NFTokenID: nftokenId, RootIndex: index } }
}

/** The field that names the account which pays the reserve. Trust lines and NFT pages are handled elsewhere. */
const ownerFields: Readonly<Record<EntryType, "Account" | "Owner" | undefined>> = {
  AccountRoot: undefined,
  Check: "Account",
  DirectoryNode: undefined,
  Escrow: "Account",
  NFTokenOffer: "Owner",
  NFTokenPage: undefined,
  Offer: "Account",
  RippleState: undefined,
  SignerList: "Owner"
}

export const ownerOf = (type: EntryType, fields: JsonObject): string | undefined => {
  const field = ownerFields[type]
  return field === undefined ? undefined : text(fields, field)
}

const issuerOf = (limit: unknown): string => String((limit as JsonObject)["issuer"]) // a trust line always has limits

/** The two accounts of a trust line. */
export const sidesOf = (line: JsonObject): { readonly low: string; readonly high: string } => ({
  low: issuerOf(line["LowLimit"]),
  high: issuerOf(line["HighLimit"])
})

const directoryOwners = (type: EntryType, fields: JsonObject): ReadonlyArray<string> => {
  if (type === "RippleState") return Object.values(sidesOf(fields))
  const owner = ownerOf(type, fields)
  if (owner === undefined) return []
  const destination = type === "Escrow" || type === "Check" ? text(fields, "Destination") : undefined
  return destination === undefined || destination === owner ? [owner] : [owner, destination]
}

export const directoriesOf = (type: EntryType, fields: JsonObject): ReadonlyArray<Directory> => {
  const directories = directoryOwners(type, fields).map(ownerDirectory)
  if (type === "Offer") directories.push(bookDirectory(fields))
  if (type === "NFTokenOffer") directories.push(nftOffersDirectory(fields))
  return directories
}

/** The accounts whose history a created or deleted entry belongs to (rippled's "threading"). */
export const threadedAccounts = (type: EntryType, fields: JsonObject): ReadonlyArray<string> => {
  if (type === "AccountRoot" || type === "DirectoryNode") return []
  if (type === "RippleState") return Object.values(sidesOf(fields))
  return [text(fields, "Account"), text(fields, "Destination")].filter((account) => account !== undefined)
}
