/**
 * Escrows: created with a time or a condition, then finished or cancelled by any account as soon as that is allowed.
 */
import { createHash } from "node:crypto"
import type { JsonObject } from "../../../spine/event/Ledger.ts"
import { quantityOf, UNIT } from "../IntegerAmounts.ts"
import { digestOf, escrowKey } from "../Keys.ts"
import type { Entry } from "../LedgerState.ts"
import { type Draft, POPULATION, type Scenario } from "../Scenario.ts"
import { spendable } from "../TrustLineBalances.ts"
import { otherPerson, type World } from "../World.ts"

/** The secret of an escrow, derived from its first transaction, so that it need not be stored. */
const preimageOf = (owner: string, finishAfter: number): string =>
  digestOf(`preimage ${owner} ${finishAfter}`)

/** PREIMAGE-SHA-256 crypto-conditions of 32 bytes, in their DER form. */
const conditionOf = (preimage: string): string =>
  `A0258020${createHash("sha256").update(Buffer.from(preimage, "hex")).digest("hex").toUpperCase()}810120`
const fulfillmentOf = (preimage: string): string => `A0228020${preimage}`

const create = (world: World, kind: "finish" | "condition" | "cancel"): Draft | undefined => {
  const { random } = world
  if (world.state.count("Escrow") >= POPULATION.escrows) return undefined
  const owner = random.pick(world.people)
  const drops = BigInt(random.int(1, 200)) * UNIT
  if (spendable(world.state, owner, "XRP") < drops * 2n) return undefined
  const destination = otherPerson(world, owner)
  const finishAfter = world.parentCloseTime + random.int(3, 6)
  // An escrow that is meant to be cancelled gets a condition whose secret is never used.
  const secret = kind === "cancel" ? random.hex(32) : preimageOf(owner, finishAfter)
  const terms: JsonObject = {
    Account: owner,
    Amount: drops.toString(),
    Destination: destination,
    ...(kind !== "finish" && {
      CancelAfter: finishAfter + random.int(1, 3) + (kind === "condition" ? 100_000 : 0)
    }),
    ...(kind !== "finish" && { Condition: conditionOf(secret) }),
    ...(random.flip(0.3) && { DestinationTag: random.int(0, 99_999) }),
    FinishAfter: finishAfter,
    ...(random.flip(0.2) && { SourceTag: random.int(1, 99_999) })
  }
  return {
    tx: { ...terms, Account: owner, TransactionType: "EscrowCreate" },
    expected: ["escrow.created"],
    apply: (view) => {
      view.addXrp(owner, -drops)
      const { sequence } = view.origin
      view.create("Escrow", escrowKey(owner, sequence), {
        ...terms,
        DestinationNode: "0",
        Flags: 0,
        OwnerNode: "0",
        Sequence: sequence
      })
    }
  }
}

const isPast = (world: World, time: unknown): boolean =>
  typeof time === "number" && time < world.parentCloseTime

/** An escrow that is meant to be cancelled has a random condition: not the one derived from its terms. */
const isTold = ({ fields }: Entry): boolean =>
  fields["Condition"] === undefined ||
  fields["Condition"] === conditionOf(preimageOf(String(fields["Account"]), Number(fields["FinishAfter"])))

/** In drops: 33 base fees, plus one for each 16 bytes of fulfillment. */
const FULFILLMENT_FEE = 350n

const end = (
  world: World,
  escrow: Entry,
  type: "EscrowFinish" | "EscrowCancel",
  receiver: string,
  extra: JsonObject
): Draft => {
  const { fields, index } = escrow
  const owner = String(fields["Account"])
  const account = world.random.pick([owner, String(fields["Destination"]), otherPerson(world)])
  return {
    tx: {
      TransactionType: type,
      Account: account,
      OfferSequence: Number(fields["Sequence"]),
      Owner: owner,
      ...extra
    },
    ...(extra["Fulfillment"] !== undefined && { fee: FULFILLMENT_FEE }),
    expected: [type === "EscrowFinish" ? "escrow.finished" : "escrow.cancelled"],
    apply: (view) => {
      view.addXrp(receiver, quantityOf(fields["Amount"]))
      view.remove(index)
    }
  }
}

const finish = (world: World): Draft | undefined => {
  const escrow = world.state.pick(
    "Escrow",
    world.random,
    (entry) =>
      isPast(world, entry.fields["FinishAfter"]) &&
      !isPast(world, entry.fields["CancelAfter"]) &&
      isTold(entry)
  )
  if (escrow === undefined) return undefined
  const { Account, Condition, Destination, FinishAfter } = escrow.fields
  const secret = preimageOf(String(Account), Number(FinishAfter))
  const proof = Condition === undefined ? {} : { Condition, Fulfillment: fulfillmentOf(secret) }
  return end(world, escrow, "EscrowFinish", String(Destination), proof)
}

const cancel = (world: World): Draft | undefined => {
  const escrow = world.state.pick("Escrow", world.random, (entry) =>
    isPast(world, entry.fields["CancelAfter"])
  )
  return escrow === undefined
    ? undefined
    : end(world, escrow, "EscrowCancel", String(escrow.fields["Account"]), {})
}

export const escrows: ReadonlyArray<Scenario> = [
  { name: "escrow until a time", weight: 1, draft: (world) => create(world, "finish") },
  { name: "escrow with a condition", weight: 1, draft: (world) => create(world, "condition") },
  { name: "escrow never finished", weight: 1, draft: (world) => create(world, "cancel") },
  { name: "escrow finished", weight: 2, draft: finish },
  { name: "escrow cancelled", weight: 2, draft: cancel }
]
