/** Changes of account settings (flags, fields, regular keys, signer lists), and deletions of guests' accounts. */
import type { JsonObject } from "../../../spine/event/Ledger.ts"
import { quantityOf } from "../IntegerAmounts.ts"
import { accountKey, addressOf, digestOf, isLow, ownerDirectoryKey, signerListKey } from "../Keys.ts"
import type { Draft, Scenario } from "../Scenario.ts"
import type { Patch } from "../TransactionView.ts"
import { flagsOf, RESERVE_INCREMENT } from "../TrustLineBalances.ts"
import { otherPerson, type World } from "../World.ts"

export const lsfRequireDestTag = 0x00020000

/** `SetFlag` numbers with the bit that each sets. Only flags that do not get in the way of other scenarios. */
const SETTINGS = [
  { number: 1, bit: lsfRequireDestTag },
  { number: 3, bit: 0x00080000 },
  { number: 14, bit: 0x10000000 }
] as const
const asfAccountTxnID = 5
/** A placeholder until the account's next transaction sets the field. */
const NO_TRANSACTION = "0".repeat(64)

export const settingChange = (tx: Draft["tx"], patch: Patch): Draft => ({
  tx,
  expected: ["account.settings_changed"],
  apply: (view) => view.updateAccount(tx.Account, patch)
})

const accountSet = (account: string, fields: JsonObject, patch: Patch): Draft =>
  settingChange({ TransactionType: "AccountSet", Account: account, ...fields }, patch)

const rootOf = (world: World, account: string): JsonObject => world.state.entry(accountKey(account)).fields

const flag = (world: World): Draft => {
  const account = world.random.pick(world.people)
  const { bit, number } = world.random.pick(SETTINGS)
  const flags = flagsOf(rootOf(world, account))
  const set = (flags & bit) === 0
  return accountSet(account, { [set ? "SetFlag" : "ClearFlag"]: number }, { Flags: (flags ^ bit) >>> 0 })
}

/** Random values, so that setting one always changes something. */
const field = (world: World): Draft => {
  const { random } = world
  const account = random.pick(world.people)
  const root = rootOf(world, account)
  const domain = Buffer.from(`shop-${random.int(1, 999_999)}.example`)
    .toString("hex")
    .toUpperCase()
  const made = random.pick([
    { Domain: domain },
    { EmailHash: random.hex(16) },
    { MessageKey: `02${random.hex(32)}` },
    { TickSize: root["TickSize"] === 6 ? 5 : 6 },
    { TransferRate: 1_000_000_000 + random.int(1, 10_000_000) }
  ])
  const clears = root["Domain"] !== undefined && random.flip(0.3)
  return clears ? accountSet(account, { Domain: "" }, { Domain: undefined }) : accountSet(account, made, made)
}

/** Turns on tracking of the last transaction: every later transaction of the account changes `AccountTxnID`. */
const tracking = (world: World): Draft => {
  const account = world.random.pick(world.people)
  const tracks = rootOf(world, account)["AccountTxnID"] !== undefined
  return accountSet(
    account,
    { [tracks ? "ClearFlag" : "SetFlag"]: asfAccountTxnID },
    { AccountTxnID: tracks ? undefined : NO_TRANSACTION }
  )
}

const nothingSet = (world: World): Draft => ({
  tx: { TransactionType: "AccountSet", Account: world.random.pick(world.people) }
})

const regularKey = (world: World): Draft => {
  const account = world.random.pick(world.people)
  const removes = rootOf(world, account)["RegularKey"] !== undefined && world.random.flip(0.5)
  const key = removes ? undefined : addressOf(`key ${world.random.hex(16)}`)
  return settingChange(
    { TransactionType: "SetRegularKey", Account: account, ...(key !== undefined && { RegularKey: key }) },
    { RegularKey: key }
  )
}

const lsfOneOwnerCount = 0x00010000

const signerList = (world: World): Draft => {
  const { random } = world
  const account = random.pick(world.people)
  const index = signerListKey(account)
  const existing = world.state.get(index)
  if (existing !== undefined && random.flip(0.4))
    return {
      tx: { TransactionType: "SignerListSet", Account: account, SignerQuorum: 0 },
      expected: ["account.settings_changed"],
      apply: (view) => view.remove(index)
    }
  // Random weights, so that a new list always differs from the current one.
  const signers = random
    .shuffle(world.people.filter((person) => person !== account))
    .slice(0, random.int(2, 4))
  const entries = signers.map((signer) => ({
    SignerEntry: { Account: signer, SignerWeight: random.int(1, 60_000) }
  }))
  const quorum = entries[0]!.SignerEntry.SignerWeight
  const byAccountId = entries.toSorted((a, b) =>
    isLow(a.SignerEntry.Account, b.SignerEntry.Account) ? -1 : 1
  )
  return {
    tx: { TransactionType: "SignerListSet", Account: account, SignerEntries: entries, SignerQuorum: quorum },
    expected: ["account.settings_changed"],
    apply: (view) => {
      if (existing === undefined)
        view.create("SignerList", index, {
          Flags: lsfOneOwnerCount,
          Owner: account,
          OwnerNode: "0",
          SignerEntries: byAccountId,
          SignerListID: 0,
          SignerQuorum: quorum
        })
      else view.update(index, { SignerEntries: byAccountId, SignerQuorum: quorum })
    }
  }
}

/** An account can be deleted this many ledgers after the ledger with the number of its sequence. */
const DELETION_AGE = 256

const accountDelete = (world: World): Draft | undefined => {
  const account = world.random.pickOrNone(
    [...world.guests].filter((guest) => {
      const root = rootOf(world, guest)
      return (
        Number(root["Sequence"]) + DELETION_AGE <= world.ledgerIndex &&
        quantityOf(root["Balance"]) > 2n * RESERVE_INCREMENT
      )
    })
  )
  if (account === undefined) return undefined
  const destination = otherPerson(world)
  const owned = [...(world.state.get(ownerDirectoryKey(account))?.members ?? [])].map((index) =>
    world.state.entry(index)
  )
  return {
    tx: {
      TransactionType: "AccountDelete",
      Account: account,
      Destination: destination,
      DestinationTag: Number.parseInt(digestOf(account).slice(0, 6), 16)
    },
    fee: RESERVE_INCREMENT,
    expected: [
      "account.deleted",
      ...owned.map(({ type }) => (type === "Offer" ? "dex.offer_cancelled" : "nft.offer_cancelled"))
    ],
    apply: (view) => {
      for (const entry of owned) view.remove(entry.index)
      const rest = quantityOf(view.account(account)["Balance"])
      view.addXrp(account, -rest)
      view.addXrp(destination, rest)
      view.remove(accountKey(account))
      world.guests.delete(account)
      view.delivered = rest.toString()
    }
  }
}

export const accounts: ReadonlyArray<Scenario> = [
  { name: "account flag", weight: 3, draft: flag },
  { name: "account field", weight: 3, draft: field },
  { name: "transaction tracking", weight: 1, draft: tracking },
  { name: "nothing set", weight: 1, draft: nothingSet },
  { name: "regular key", weight: 2, draft: regularKey },
  { name: "signer list", weight: 2, draft: signerList },
  { name: "account deleted", weight: 2, draft: accountDelete }
]
