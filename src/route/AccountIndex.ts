/**
 * Finds the lists that contain an account: a hash table over packed account ids (domain/AccountIds.ts). It refers to
 * the lists instead of copying them and adds 14 to 21 bytes for each id, outside the JavaScript heap. Multipliers are
 * random, so nobody can choose accounts that share a chain. Entries of removed lists stay until they are as many as
 * the present ones; then the table is rebuilt.
 */
import { randomBytes } from "node:crypto"
import { ACCOUNT_WORDS, type AccountIds, writeAccountId } from "../domain/AccountIds.ts"

export interface AccountIndex<A> {
  /** Sets or, with undefined, removes the key's list. Its `accounts` must not change afterwards. */
  readonly set: (key: string, list: AccountList<A> | undefined) => void
  /** Calls `use` with the value of each list that contains the account. */
  readonly find: (address: string, use: (value: A) => void) => void
}

export interface AccountList<A> {
  readonly accounts: AccountIds
  readonly value: A
}

/** Smallest capacity, in ids. */
const FEWEST = 1_024
/** Capacity as a multiple of the ids present when the table is built. */
const SPARE = 1.5
const NONE = -1

/** Entries, each an id of a list, in chains by the hash of the id. */
const makeTable = (capacity: number) => ({
  /** First entry of each chain, and the entry after each. */
  first: new Int32Array(capacity).fill(NONE),
  next: new Int32Array(capacity),
  /** The entry's list, and the id's index in it. 16 bits are enough: a list has at most 10,000 ids. */
  list: new Uint32Array(capacity),
  place: new Uint16Array(capacity),
  used: 0
})

export const makeAccountIndex = <A>(): AccountIndex<A> => {
  const random = randomBytes(ACCOUNT_WORDS * 4)
  const multipliers = Uint32Array.from({ length: ACCOUNT_WORDS }, (_, i) => random.readUInt32LE(i * 4) | 1)
  const numbers = new Map<string, number>()
  /** Undefined if it was removed. */
  let lists: Array<AccountList<A> | undefined> = []
  let present = 0
  let table = makeTable(FEWEST)
  const wanted = new Uint32Array(ACCOUNT_WORDS)

  const chainOf = (ids: AccountIds, at: number): number => {
    let hash = 0
    for (let i = 0; i < ACCOUNT_WORDS; i++) {
      hash = Math.imul(hash ^ ids[at + i]!, multipliers[i]!)
      // Only the high bits of a product depend on all bits of its factors.
      hash ^= hash >>> 16
    }
    return Math.floor(((hash >>> 0) / 2 ** 32) * table.first.length)
  }

  const insert = (list: AccountList<A>): number => {
    const number = lists.push(list) - 1
    const { accounts } = list
    for (let at = 0; at < accounts.length; at += ACCOUNT_WORDS) {
      const chain = chainOf(accounts, at)
      const entry = table.used++
      table.next[entry] = table.first[chain]!
      table.first[chain] = entry
      table.list[entry] = number
      table.place[entry] = at / ACCOUNT_WORDS
    }
    return number
  }

  /** Drops removed lists and makes space for `more` ids. */
  const rebuild = (more: number) => {
    const before = lists
    lists = []
    table = makeTable(Math.max(FEWEST, Math.ceil((present + more) * SPARE)))
    for (const [key, number] of numbers) numbers.set(key, insert(before[number]!))
  }

  const add = (key: string, list: AccountList<A>) => {
    const ids = list.accounts.length / ACCOUNT_WORDS
    if (table.used + ids > table.next.length) rebuild(ids)
    numbers.set(key, insert(list))
    present += ids
  }

  const remove = (key: string, number: number) => {
    present -= lists[number]!.accounts.length / ACCOUNT_WORDS
    lists[number] = undefined
    numbers.delete(key)
    if (table.used > 2 * Math.max(present, FEWEST)) rebuild(0)
  }

  return {
    set: (key, list) => {
      const number = numbers.get(key)
      if (number !== undefined) remove(key, number)
      if (list !== undefined) add(key, list)
    },
    find: (address, use) => {
      if (present === 0 || writeAccountId(address, wanted, 0) === undefined) return
      for (let entry = table.first[chainOf(wanted, 0)]!; entry !== NONE; entry = table.next[entry]!) {
        const list = lists[table.list[entry]!]
        if (list === undefined) continue
        const at = table.place[entry]! * ACCOUNT_WORDS
        let i = 0
        while (i < ACCOUNT_WORDS && list.accounts[at + i] === wanted[i]) i++
        if (i === ACCOUNT_WORDS) use(list.value)
      }
    }
  }
}
