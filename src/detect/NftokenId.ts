/**
 * NFTokenIDs (events.md 2.3, 3): what their 32 bytes say, and which one a mint made. The id is found as the set
 * difference of the owner's pages; comparing positions or lengths gives wrong ids when a page splits.
 */
import { accountIdOfAddress, addressOfAccountId } from "../domain/AccountId.ts"
import type { Json, JsonObject } from "../domain/Ledger.ts"
import { isJsonObject } from "../domain/NormaliseLedger.ts"
import { flagsOf, hashOf, integerOf, listOf, objectOf, textOf } from "./Fields.ts"
import type { TransactionContext } from "./Finding.ts"
import type { AffectedNode } from "./Nodes.ts"

export interface NftokenIdParts {
  readonly flags: number
  /** In 1/100000. */
  readonly transferFee: number
  readonly issuer: string
  readonly taxon: number
  readonly serial: number
}

/** `id` is 64 hex digits: flags, fee, issuer, scrambled taxon, serial. */
export const parseNftokenId = (id: string): NftokenIdParts => {
  const serial = Number.parseInt(id.slice(56), 16)
  return {
    flags: Number.parseInt(id.slice(0, 4), 16),
    transferFee: Number.parseInt(id.slice(4, 8), 16),
    issuer: addressOfAccountId(id.slice(8, 48)),
    taxon: scrambleTaxon(Number.parseInt(id.slice(48, 56), 16), serial),
    serial
  }
}

/** Its own inverse. */
const scrambleTaxon = (taxon: number, serial: number): number =>
  (taxon ^ (Math.imul(384_160_001, serial) + 2459)) >>> 0

/** Method A: the one id that the owner's pages hold afterwards and did not before. */
export const mintedByPages = (context: TransactionContext): string | undefined => {
  const owner = accountIdOfAddress(context.account ?? "")
  if (owner === undefined) return undefined
  const pages = context.nodes.filter((node) => node.type === "NFTokenPage" && node.id.startsWith(owner))
  const before = new Set(pages.flatMap((page) => nftokenIds(page.previous)))
  const added = new Set(pages.flatMap(idsAfter).filter((id) => !before.has(id)))
  const [id, ...others] = added
  return others.length === 0 ? id : undefined
}

/** A neighbour that only got a new link lists its tokens in FinalFields, and none in PreviousFields. */
const idsAfter = (page: AffectedNode): ReadonlyArray<string> =>
  page.change === "created" || (page.change === "modified" && listOf(page.previous, "NFTokens") !== undefined)
    ? nftokenIds(page.fields)
    : []

const nftokenIds = (fields: JsonObject): ReadonlyArray<string> =>
  (listOf(fields, "NFTokens") ?? []).map(nftokenIdOfEntry).filter((id) => id !== undefined)

const nftokenIdOfEntry = (entry: Json): string | undefined =>
  isJsonObject(entry) ? hashOf(objectOf(entry, "NFToken") ?? {}, "NFTokenID") : undefined

const hex = (value: number, digits: number): string => value.toString(16).toUpperCase().padStart(digits, "0")

/** Method B: composed from the transaction and the issuer's count of minted tokens. */
export const mintedByCount = (context: TransactionContext): string | undefined => {
  const { tx } = context
  const issuer = textOf(tx, "Issuer") ?? context.account
  const root = context.nodes.find(
    (node) => node.type === "AccountRoot" && textOf(node.fields, "Account") === issuer
  )
  const accountId = accountIdOfAddress(issuer ?? "")
  const taxon = integerOf(tx, "NFTokenTaxon")
  const minted = root === undefined ? undefined : integerOf(root.fields, "MintedNFTokens")
  if (root === undefined || accountId === undefined || taxon === undefined || minted === undefined)
    return undefined
  const serial = ((integerOf(root.fields, "FirstNFTokenSequence") ?? 0) + minted - 1) >>> 0
  const flags = hex(flagsOf(tx) & 0xffff, 4)
  const fee = hex(integerOf(tx, "TransferFee") ?? 0, 4)
  return flags + fee + accountId + hex(scrambleTaxon(taxon, serial), 8) + hex(serial, 8)
}
