/**
 * Checks in XRP and tokens: created, cashed for an exact or a minimum amount, cancelled by either side or when expired.
 */
import type { JsonObject } from "../../../spine/event/Ledger.ts"
import { amountOf, assetOf, minimum, quantityOf, UNIT } from "../IntegerAmounts.ts"
import { checkKey } from "../Keys.ts"
import type { Entry } from "../LedgerState.ts"
import { isExpired } from "../OrderBook.ts"
import { type Draft, POPULATION, type Scenario } from "../Scenario.ts"
import { isFrozen, lineOf, move, spendable } from "../TrustLineBalances.ts"
import { holdings, otherPerson, type World } from "../World.ts"

const write = (world: World): Draft | undefined => {
  const { random } = world
  if (world.state.count("Check") >= POPULATION.checks) return undefined
  const holding = random.flip(0.5) ? random.pickOrNone(holdings(world)) : undefined
  const writer = holding?.holder ?? random.pick(world.people)
  const destination = otherPerson(world, writer)
  const asset = holding?.token ?? "XRP"
  const terms: JsonObject = {
    Destination: destination,
    ...(random.flip(0.3) && { DestinationTag: random.int(0, 99_999) }),
    ...(random.flip(0.4) && { Expiration: world.parentCloseTime + random.int(4, 30) }),
    ...(random.flip(0.2) && { InvoiceID: random.hex(32) }),
    SendMax: amountOf(asset, BigInt(random.int(1, 300)) * UNIT)
  }
  return {
    tx: { TransactionType: "CheckCreate", Account: writer, ...terms },
    expected: ["check.created"],
    apply: (view) => {
      const { sequence } = view.origin
      view.create("Check", checkKey(writer, sequence), {
        Account: writer,
        ...terms,
        DestinationNode: "0",
        Flags: 0,
        OwnerNode: "0",
        Sequence: sequence
      })
    }
  }
}

const writerOf = (check: Entry): string => String(check.fields["Account"])
const casherOf = (check: Entry): string => String(check.fields["Destination"])

/** The amount for which the check can be cashed now. */
const worth = (world: World, check: Entry): bigint => {
  const sendMax = check.fields["SendMax"]
  return minimum(quantityOf(sendMax), spendable(world.state, writerOf(check), assetOf(sendMax)))
}

const cash = (world: World): Draft | undefined => {
  const { random, state } = world
  const check = state.pick("Check", random, (entry) => {
    const asset = assetOf(entry.fields["SendMax"])
    const line = asset === "XRP" ? undefined : lineOf(state, casherOf(entry), asset)
    return (
      !isExpired(entry, world.parentCloseTime) &&
      worth(world, entry) > UNIT &&
      !(line !== undefined && isFrozen(line.fields, casherOf(entry)))
    )
  })
  if (check === undefined) return undefined
  const asset = assetOf(check.fields["SendMax"])
  const most = worth(world, check)
  const flexible = random.flip(0.5)
  const delivered = flexible ? most : most - (most / 4n / UNIT) * UNIT
  const amount = amountOf(asset, delivered)
  const account = casherOf(check)
  return {
    tx: {
      TransactionType: "CheckCash",
      Account: account,
      CheckID: check.index,
      ...(flexible
        ? { DeliverMin: amountOf(asset, delivered - (delivered / 2n / UNIT) * UNIT) }
        : { Amount: amount })
    },
    expected: ["check.cashed"],
    apply: (view) => {
      move(view, writerOf(check), account, asset, delivered)
      view.remove(check.index)
      // rippled writes DeliveredAmount for tokens, and where it may differ from the transaction's amount.
      if (flexible || asset !== "XRP") view.delivered = amount
    }
  }
}

const cancel = (world: World): Draft | undefined => {
  const { random } = world
  const check = world.state.pick("Check", random, () => true)
  if (check === undefined) return undefined
  const parties = [writerOf(check), casherOf(check)]
  // Any account may cancel an expired check.
  const account = random.pick(
    isExpired(check, world.parentCloseTime) ? [...parties, otherPerson(world)] : parties
  )
  return {
    tx: { TransactionType: "CheckCancel", Account: account, CheckID: check.index },
    expected: ["check.cancelled"],
    apply: (view) => view.remove(check.index)
  }
}

export const checks: ReadonlyArray<Scenario> = [
  { name: "check written", weight: 4, draft: write },
  { name: "check cashed", weight: 2, draft: cash },
  { name: "check cancelled", weight: 2, draft: cancel }
]
