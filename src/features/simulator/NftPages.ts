/**
 * NFT pages: the tokens of an owner, ordered by the low 96 bits of their ids, up to 32 a page. The last page has the
 * highest key. A full page is split, and an empty page is removed, with the links of its neighbours. If the last page
 * becomes empty, it takes over the tokens of the page before it. Unlike in rippled, pages are never merged.
 */
import type { Json, JsonObject } from "../../spine/event/Ledger.ts"
import { accountIdOf } from "./Keys.ts"
import type { Entry, LedgerState } from "./LedgerState.ts"
import type { TransactionView } from "./TransactionView.ts"

const TOKENS_PER_PAGE = 32
/** Number of hex digits of the 96 bits by which tokens are ordered and pages are named. */
const LOW_DIGITS = 24

interface Token {
  readonly NFToken: { readonly NFTokenID: string; readonly URI?: string }
}

const low = (id: string): string => id.slice(-LOW_DIGITS)
const idOf = (token: Token): string => token.NFToken.NFTokenID
// Safe: only this file writes pages.
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

/** The page for a token: the one with the lowest key above the token's. */
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

/** Removes the token and returns its URI, which its next owner's page needs. */
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
