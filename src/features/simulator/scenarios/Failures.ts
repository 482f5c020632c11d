/** Transactions that must cause no event: some that fail and cost only their fee, and one that succeeds. */
import { amountOf, UNIT } from "../IntegerAmounts.ts"
import type { Draft, Scenario } from "../Scenario.ts"
import { otherPerson, type World } from "../World.ts"

const tfFillOrKill = 0x00040000

const tooPoor = (world: World): Draft => {
  const sender = world.random.pick(world.people)
  return {
    tx: {
      TransactionType: "Payment",
      Account: sender,
      Amount: (1_000_000_000n * UNIT).toString(),
      Destination: otherPerson(world, sender)
    },
    result: "tecUNFUNDED_PAYMENT"
  }
}

const noPath = (world: World): Draft => {
  const sender = world.random.pick(world.people)
  const token = world.random.pick(world.tokens)
  return {
    tx: {
      TransactionType: "Payment",
      Account: sender,
      Amount: amountOf(token, 9_000_000n * UNIT),
      Destination: otherPerson(world, sender)
    },
    result: "tecPATH_DRY"
  }
}

const tooSmallForNew = (world: World): Draft => ({
  tx: {
    TransactionType: "Payment",
    Account: world.random.pick(world.people),
    Amount: "10",
    Destination: world.freshAddress()
  },
  result: "tecNO_DST_INSUF_XRP"
})

const killed = (world: World): Draft => {
  const token = world.random.pick(world.tokens)
  return {
    tx: {
      TransactionType: "OfferCreate",
      Account: world.random.pick(world.people),
      Flags: tfFillOrKill,
      TakerGets: UNIT.toString(),
      TakerPays: amountOf(token, 1_000n * UNIT)
    },
    result: "tecKILLED"
  }
}

const noCheck = (world: World): Draft => ({
  tx: {
    TransactionType: "CheckCash",
    Account: world.random.pick(world.people),
    Amount: UNIT.toString(),
    CheckID: world.random.hex(32)
  },
  result: "tecNO_ENTRY"
})

const noEscrow = (world: World): Draft => ({
  tx: {
    TransactionType: "EscrowFinish",
    Account: world.random.pick(world.people),
    OfferSequence: 1,
    Owner: otherPerson(world)
  },
  result: "tecNO_TARGET"
})

export const failures: ReadonlyArray<Scenario> = [
  { name: "unfunded payment", weight: 2, draft: tooPoor },
  { name: "payment without a path", weight: 1, draft: noPath },
  { name: "payment too small for a new account", weight: 1, draft: tooSmallForNew },
  { name: "killed order", weight: 1, draft: killed },
  { name: "check that is not there", weight: 1, draft: noCheck },
  { name: "escrow that is not there", weight: 1, draft: noEscrow }
]
