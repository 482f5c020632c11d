/**
 * NFT pages: an owner's tokens in the order of their ids' low 96 bits, up to 32 a page, the last page with the highest
 * key. A full page splits and its neighbours' links follow; an empty page goes, and the last one takes over the page
 * before it. Pages are not merged: the metadata of a merge is that of a page that goes.
 */
import type { Json, JsonObject } from "../domain/Ledger.ts"
import { accountIdOf } from "./Keys.ts"
import type { Entry, LedgerState } from "./LedgerState.ts"
import type { TransactionView } from "./TransactionView.ts"

const TOKENS_PER_PAGE = 32
/** Hex digits of the 96 bits that order tokens and name pages. */
const LOW_DIGITS = 24

interface Token {
  readonly NFToken: { readonly NFTokenID: string; readonly URI?: string }
}

const low = (id: string): string => id.slice(-LOW_DIGITS)
const idOf = (token: Token): string => token.NFToken.NFTokenID
// Only this file writes pages.
const tokensOf = (page: Entry): ReadonlyArray<Token> =>
  page.fields["NFTokens"] as unknown as ReadonlyArray<Token>
const asJson = (tokens: ReadonlyArray<Token>): Json => tokens as unknown as Json
const lastKey = (owner: string): string => accountIdOf(owner) + "F".repeat(LOW_DIGITS)

const byOrder = (a: Token, b: Token): number => {
  const [left, right] = [low(idOf(a)) + idOf(a), low(idOf(b)) + idOf(b)]
  return left < right ? -1 : left > right ? 1 : 0
}

const pageKey = (value: Json | undefined): string | undefined =>
  typeof value === "string" ? value : undefined

/** From the last page back. */
const pagesOf = (state: LedgerState, owner: string): ReadonlyArray<Entry> => {
  const pages: Array<Entry> = []
  for (let page = state.get(lastKey(owner)); page !== undefined; ) {
    pages.push(page)
    const previous = pageKey(page.fields["PreviousPageMin"])
    page = previous === undefined ? undefined : state.get(previous)
  }
  return pages
}

/** The page a token belongs to: the one with the lowest key above it. */
const pageFor = (state: LedgerState, owner: string, id: string): Entry | undefined =>
  pagesOf(state, owner).findLast((page) => low(id) < low(page.index)) ?? state.get(lastKey(owner))

const link = (
  view: TransactionView,
  key: string | undefined,
  field: string,
  to: string | undefined
): void => {
  if (key !== undefined) view.update(key, { [field]: to })
}

/** Moves the lower half into a new page before this one. */
const split = (view: TransactionView, owner: string, page: Entry): void => {
  const tokens = tokensOf(page)
  const half = TOKENS_PER_PAGE / 2
  const key = accountIdOf(owner) + low(idOf(tokens[half]!))
  const before = pageKey(page.fields["PreviousPageMin"])
  const fields: JsonObject = {
    NFTokens: asJson(tokens.slice(0, half)),
    NextPageMin: page.index,
    ...(before !== undefined && { PreviousPageMin: before })
  }
  view.create("NFTokenPage", key, fields)
  view.update(page.index, { NFTokens: asJson(tokens.slice(half)), PreviousPageMin: key })
  link(view, before, "NextPageMin", key)
  view.addOwned(owner, 1)
}

export const addNft = (view: TransactionView, owner: string, id: string, uri: string | undefined): void => {
  const token: Token = { NFToken: { NFTokenID: id, ...(uri !== undefined && { URI: uri }) } }
  const found = pageFor(view.state, owner, id)
  if (found === undefined) {
    view.create("NFTokenPage", lastKey(owner), { NFTokens: asJson([token]) })
    view.addOwned(owner, 1)
  } else {
    if (tokensOf(found).length >= TOKENS_PER_PAGE) split(view, owner, found)
    const page = pageFor(view.state, owner, id) ?? found
    view.update(page.index, { NFTokens: asJson([...tokensOf(page), token].toSorted(byOrder)) })
  }
  view.state.nftOwners.set(id, owner)
}

const removePage = (view: TransactionView, owner: string, page: Entry): void => {
  const next = pageKey(page.fields["NextPageMin"])
  const before = pageKey(page.fields["PreviousPageMin"])
  const previous = before === undefined ? undefined : view.state.get(before)
  view.addOwned(owner, -1)
  if (next === undefined && previous !== undefined) {
    // The last page keeps its key, so it takes over what the page before it holds.
    const further = pageKey(previous.fields["PreviousPageMin"])
    view.update(page.index, { NFTokens: asJson(tokensOf(previous)), PreviousPageMin: further })
    view.remove(previous.index)
    link(view, further, "NextPageMin", page.index)
    return
  }
  view.update(page.index, { NFTokens: asJson([]) })
  view.remove(page.index)
  link(view, before, "NextPageMin", next)
  link(view, next, "PreviousPageMin", before)
}

/** Returns the token's URI, which goes with it to its next owner. */
export const takeNft = (view: TransactionView, owner: string, id: string): string | undefined => {
  const page = pagesOf(view.state, owner).find((one) => tokensOf(one).some((token) => idOf(token) === id))
  if (page === undefined) throw new Error(`NftPages: ${owner} does not hold ${id}`)
  const tokens = tokensOf(page)
  const uri = tokens.find((token) => idOf(token) === id)!.NFToken.URI
  const rest = tokens.filter((token) => idOf(token) !== id)
  if (rest.length === 0) removePage(view, owner, page)
  else view.update(page.index, { NFTokens: asJson(rest) })
  view.state.nftOwners.delete(id)
  return uri
}
