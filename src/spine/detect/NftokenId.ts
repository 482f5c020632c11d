/**
 * NFTokenIDs (docs/detection-rules.md 2.3, 3): the parts of their 32 bytes, and the id of a minted token. That id is
 * the set difference of the owner's pages: comparing positions or lengths gives wrong ids when a page splits.
 */
import { isHash } from "../event/Hash.ts"
import type { Json, JsonObject } from "../event/Ledger.ts"
import { TRANSFER_FEE_MAX } from "../event/LedgerForms.ts"
import { isJsonObject } from "../event/NormaliseLedger.ts"
import type { TransactionContext } from "./Detector.ts"
import { addressOf, flagsOf, listOf, need, objectOf, uint16Of, uint32Of } from "./Fields.ts"
import type { AffectedNode } from "./Nodes.ts"

export interface NftokenIdParts {
  readonly flags: number
  /** The transfer fee in units of 1/100000. */
  readonly transferFee: number
  /** The issuer's account id, 40 hex digits. */
  readonly issuerId: string
  readonly taxon: number
  readonly serial: number
}

/**
 * `id` is 64 hex digits: flags, fee, issuer, scrambled taxon, serial. Throws on a fee that the ledger does not allow.
 */
export const parseNftokenId = (id: string): NftokenIdParts => {
  const serial = Number.parseInt(id.slice(56), 16)
  const transferFee = Number.parseInt(id.slice(4, 8), 16)
  if (transferFee > TRANSFER_FEE_MAX) throw new Error("NFTokenID holds a transfer fee above 50 %")
  return {
    flags: Number.parseInt(id.slice(0, 4), 16),
    transferFee,
    issuerId: id.slice(8, 48),
    taxon: scrambleTaxon(Number.parseInt(id.slice(48, 56), 16), serial),
    serial
  }
}

/** This function is its own inverse. */
const scrambleTaxon = (taxon: number, serial: number): number =>
  (taxon ^ (Math.imul(384_160_001, serial) + 2459)) >>> 0

/** The one id that the owner's pages hold after the transaction and did not hold before. */
export const mintedIdByPages = (
  { nodes }: TransactionContext,
  ownerId: string | undefined
): string | undefined => {
  if (ownerId === undefined) return undefined
  const before = new Set<string>()
  const after = new Set<string>()
  for (const page of nodes) {
    if (page.type !== "NFTokenPage") continue
    if (!isHash(page.id)) throw new Error("the LedgerIndex of a page is not 64 hex digits")
    if (!page.id.startsWith(ownerId)) continue
    addIds(page.previous, before)
    if (changedTokens(page)) addIds(page.fields, after)
  }
  const [id, ...others] = [...after].filter((id) => !before.has(id))
  return id !== undefined && others.length === 0 && isHash(id) ? id.toUpperCase() : undefined
}

/** False for a neighbour page that only got a new link: its tokens are in FinalFields but not in PreviousFields. */
const changedTokens = (page: AffectedNode): boolean =>
  page.change === "created" || (page.change === "modified" && listOf(page.previous, "NFTokens") !== undefined)

/** Ids are added unchecked, for speed: a page holds up to 32, and only the new one is checked later. */
const addIds = (fields: JsonObject, ids: Set<string>): void => {
  for (const entry of listOf(fields, "NFTokens") ?? []) ids.add(nftokenIdOf(entry))
}

const nftokenIdOf = (entry: Json): string => {
  const token = isJsonObject(entry) ? objectOf(entry, "NFToken") : undefined
  const id = token?.["NFTokenID"]
  return need(typeof id === "string" ? id : undefined, "the NFTokenID of a page")
}

const hex = (value: number, digits: number): string => value.toString(16).toUpperCase().padStart(digits, "0")

/** The id composed from the transaction and the issuer's count of minted tokens. */
export const mintedIdByCount = (
  { nodes, tx }: TransactionContext,
  issuer: string,
  issuerId: string | undefined
): string | undefined => {
  const root = nodes.find(
    (node) => node.type === "AccountRoot" && addressOf(node.fields, "Account") === issuer
  )
  const taxon = uint32Of(tx, "NFTokenTaxon")
  const minted = root === undefined ? undefined : uint32Of(root.fields, "MintedNFTokens")
  if (root === undefined || issuerId === undefined || taxon === undefined || minted === undefined)
    return undefined
  const serial = ((uint32Of(root.fields, "FirstNFTokenSequence") ?? 0) + minted - 1) >>> 0
  const flags = hex(flagsOf(tx) & 0xffff, 4)
  const fee = hex(uint16Of(tx, "TransferFee") ?? 0, 4)
  return flags + fee + issuerId + hex(scrambleTaxon(taxon, serial), 8) + hex(serial, 8)
}
