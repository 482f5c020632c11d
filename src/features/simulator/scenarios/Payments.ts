/**
 * Payments in XRP and tokens: partial, across currencies, to oneself, creating an account, or removing a trust line.
 */
import { type Asset, amountOf, minimum, type Token, UNIT } from "../IntegerAmounts.ts"
import { accountKey } from "../Keys.ts"
import { makerOf, offersOf, quote, takeOffers } from "../OrderBook.ts"
import { type Draft, POPULATION, type Scenario } from "../Scenario.ts"
import { hasFlag, move, spendable } from "../TrustLineBalances.ts"
import { accountRoot, holdings, otherPerson, type World } from "../World.ts"
import { lsfRequireDestTag } from "./Accounts.ts"

const tfPartialPayment = 0x00020000

/** A round-looking part of `quantity`: between one and `percent` hundredths of it, in hundredths of a unit. */
const part = (world: World, quantity: bigint, percent: number): bigint => {
  const cents = (quantity * BigInt(world.random.int(1, percent * 100))) / 10_000n / (UNIT / 100n)
  return (cents > 0n ? cents : 1n) * (UNIT / 100n)
}

/** A destination tag, as exchanges use them. Always set if the receiver requires one. */
const destinationTag = (world: World, destination: string): { readonly DestinationTag?: number } => {
  const root = world.state.get(accountKey(destination))
  const required = root !== undefined && hasFlag(root.fields, lsfRequireDestTag)
  return required || world.random.flip(0.4) ? { DestinationTag: world.random.int(0, 4_294_967_295) } : {}
}

const hexOf = (text: string): string => Buffer.from(text).toString("hex").toUpperCase()

/** Some payers name their invoice in a memo. It follows from the amount, so the world draws nothing for it. */
const memo = (drops: bigint) =>
  (drops / 10_000n) % 4n === 0n && {
    Memos: [{ Memo: { MemoType: hexOf("invoice"), MemoData: hexOf(`INV-${drops}`) } }]
  }

const xrpPayment = (world: World): Draft | undefined => {
  const sender = world.random.pick(world.people)
  const guest = world.random.flip(0.1) ? world.random.pickOrNone([...world.guests]) : undefined
  const receiver = guest ?? otherPerson(world, sender)
  const drops = part(world, spendable(world.state, sender, "XRP"), 2)
  return {
    tx: {
      TransactionType: "Payment",
      Account: sender,
      Amount: drops.toString(),
      Destination: receiver,
      ...destinationTag(world, receiver),
      ...memo(drops)
    },
    expected: ["payment.xrp"],
    apply: (view) => move(view, sender, receiver, "XRP", drops)
  }
}

const fundAccount = (world: World): Draft | undefined => {
  if (world.guests.size >= POPULATION.accounts) return undefined
  const sender = world.random.pick(world.people)
  const drops = BigInt(world.random.int(10, 50)) * UNIT
  if (spendable(world.state, sender, "XRP") < drops * 2n) return undefined
  const receiver = world.freshAddress()
  return {
    tx: { TransactionType: "Payment", Account: sender, Amount: drops.toString(), Destination: receiver },
    expected: ["account.created", "payment.xrp"],
    apply: (view) => {
      view.addXrp(sender, -drops)
      view.create("AccountRoot", accountKey(receiver), accountRoot(receiver, drops, world.ledgerIndex))
      world.guests.add(receiver)
    }
  }
}

/**
 * Chooses sender and receiver of a token: holder to holder, gateway to holder (issue), or holder to gateway (redeem).
 */
const tokenRoute = (world: World) => {
  const to = world.random.pickOrNone(holdings(world, ({ room }) => room > 10n * UNIT))
  if (to === undefined) return undefined
  const { token } = to
  const from = world.random.pickOrNone(
    holdings(
      world,
      (other) => other.token === token && other.holder !== to.holder && !other.frozen && other.balance > UNIT
    )
  )
  const kind = world.random.int(1, 10)
  if (from === undefined || kind <= 3) {
    // Issues have fixed sizes, redemptions are parts of balances, so the amount in circulation settles at a level.
    const quantity = minimum(BigInt(world.random.int(10, 300)) * 10n * UNIT, to.room)
    return { sender: token.issuer, receiver: to.holder, token, quantity }
  }
  const quantity = part(world, minimum(from.balance, to.room), 10)
  return { sender: from.holder, receiver: kind === 4 ? token.issuer : to.holder, token, quantity }
}

const tokenPayment = (world: World): Draft | undefined => {
  const route = tokenRoute(world)
  if (route === undefined) return undefined
  const { quantity, receiver, sender, token } = route
  return {
    tx: {
      TransactionType: "Payment",
      Account: sender,
      Amount: amountOf(token, quantity),
      Destination: receiver,
      ...destinationTag(world, receiver),
      ...(world.random.flip(0.2) && { SourceTag: world.random.int(1, 99_999) }),
      ...(world.random.flip(0.2) && { InvoiceID: world.random.hex(32) })
    },
    expected: ["payment.issued"],
    apply: (view) => move(view, sender, receiver, token, quantity)
  }
}

/** A partial payment that delivers far less than its Amount. Only the metadata has the delivered amount. */
const partialPayment = (world: World): Draft | undefined => {
  const route = tokenRoute(world)
  if (route === undefined) return undefined
  const { quantity, receiver, sender, token } = route
  return {
    tx: {
      TransactionType: "Payment",
      Account: sender,
      Amount: amountOf(token, 1_000_000n * UNIT),
      Destination: receiver,
      Flags: tfPartialPayment,
      SendMax: amountOf(token, quantity),
      ...destinationTag(world, receiver)
    },
    expected: ["payment.issued"],
    apply: (view) => {
      move(view, sender, receiver, token, quantity)
      view.delivered = amountOf(token, quantity)
    }
  }
}

/** Holders of the token who can pay with it (when XRP is bought), or be paid in it. */
const tokenParties = (world: World, token: Token, pays: boolean, makers: ReadonlyArray<string>) =>
  holdings(
    world,
    ({ frozen, holder, room, token: held }) =>
      held === token && !makers.includes(holder) && (pays ? !frozen : room > 100n * UNIT)
  )

/** Pays in one asset and delivers the other, through the offers between them. */
const throughBook = (world: World, token: Token, buysXrp: boolean): Draft | undefined => {
  const { random, state } = world
  const [gives, wants]: [Asset, Asset] = buysXrp ? ["XRP", token] : [token, "XRP"]
  const makers = offersOf(state, gives, wants).map(makerOf)
  const party = random.pickOrNone(tokenParties(world, token, buysXrp, makers))
  const others = world.people.filter((person) => person !== party?.holder && !makers.includes(person))
  const other = random.flip(0.15) ? party?.holder : random.pickOrNone(others)
  if (party === undefined || other === undefined) return undefined
  const [sender, receiver] = buysXrp ? [party.holder, other] : [other, party.holder]
  const { available, cost } = quote(state, { gives, wants }, [sender], world.parentCloseTime)
  const most = buysXrp ? available : minimum(available, party.room)
  if (most < UNIT) return undefined
  const wanted = random.flip(0.3) ? most : part(world, most, 80)
  // Makers are met best price first, so a part of the book costs at most its share of the whole.
  const budget = (cost * wanted) / available + (cost * 3n) / 100n + 1n
  if (spendable(state, sender, wants) < budget) return undefined
  return {
    tx: {
      TransactionType: "Payment",
      Account: sender,
      Amount: amountOf(gives, wanted),
      Destination: receiver,
      SendMax: amountOf(wants, budget),
      ...destinationTag(world, receiver)
    },
    expected: [buysXrp ? "payment.xrp" : "payment.issued"],
    apply: (view) => takeOffers(view, { payer: sender, receiver, gives, wants, wanted })
  }
}

const crossCurrencyPayment = (world: World): Draft | undefined =>
  throughBook(world, world.random.pick(world.tokens), world.random.flip(0.4))

/** Redeems all tokens of a line without a limit, which usually removes the line. */
const redeemAll = (world: World): Draft | undefined => {
  const found = world.random.pickOrNone(
    holdings(world, ({ balance, frozen, limit }) => limit === 0n && balance > 0n && !frozen)
  )
  if (found === undefined) return undefined
  const { balance, holder, token } = found
  return {
    tx: {
      TransactionType: "Payment",
      Account: holder,
      Amount: amountOf(token, balance),
      Destination: token.issuer,
      ...destinationTag(world, token.issuer)
    },
    // The removal of the line is added by `move`: a line that the gateway has frozen stays.
    expected: ["payment.issued"],
    apply: (view) => move(view, holder, token.issuer, token, balance)
  }
}

export const payments: ReadonlyArray<Scenario> = [
  { name: "XRP payment", weight: 18, draft: xrpPayment },
  { name: "payment that opens an account", weight: 3, draft: fundAccount },
  { name: "token payment", weight: 10, draft: tokenPayment },
  { name: "partial payment", weight: 2, draft: partialPayment },
  { name: "payment across currencies", weight: 4, draft: crossCurrencyPayment },
  { name: "payment that redeems a line", weight: 1, draft: redeemAll }
]
