/**
 * Finds the lists that contain an account: a hash table of account ids (domain/AccountIds.ts), outside the JavaScript
 * heap. It takes 32 to 40 bytes for each id of a list; the list itself need not be kept. The table is split into
 * shards. Only a full shard is rebuilt, which takes a few milliseconds even if there are 20,000,000 ids. Multipliers
 * are random, so nobody can choose accounts that share a chain. Ids of a removed list stay until their shard is rebuilt.
 */
import { randomBytes } from "node:crypto"
import { ACCOUNT_WORDS, type AccountIds, writeAccountId } from "../domain/AccountIds.ts"

export interface AccountIndex<A> {
  /** Adds a list of accounts and returns its number. */
  readonly add: (accounts: AccountIds, value: A) => number
  readonly remove: (list: number) => void
  /** Calls `use` with the value of each list that contains the account. */
  readonly find: (address: string, use: (value: A) => void) => void
}

/** A power of two. With 20,000,000 ids a shard has 20,000: 780 KB. */
const SHARDS = 1_024
/** Entries for which a shard has space at first. */
const FEWEST = 8
/** Capacity of a rebuilt shard as a multiple of its entries. A larger one wastes memory, a smaller one time. */
const SPARE = 1.25

/** An entry: the words of its account id, the number of its list, and the entry that follows in its chain. */
const LIST = ACCOUNT_WORDS
const NEXT = ACCOUNT_WORDS + 1
const ENTRY_WORDS = ACCOUNT_WORDS + 2
/** 0 ends a chain, so entries are counted from 1. */
const END = 0

interface Shard {
  /** The entries, then the first entry of each chain. There are as many chains as the shard has space for entries. */
  readonly words: Uint32Array
  readonly capacity: number
  used: number
}

const makeShard = (capacity: number): Shard => ({
  words: new Uint32Array(capacity * (ENTRY_WORDS + 1)),
  capacity,
  used: 0
})

interface List<A> {
  /** Undefined if the list was removed and some of its ids are still in the table. */
  value: A | undefined
  /** How many of its ids are in the table. */
  ids: number
}

export const makeAccountIndex = <A extends object>(): AccountIndex<A> => {
  const random = randomBytes(ACCOUNT_WORDS * 4)
  const multipliers = Uint32Array.from({ length: ACCOUNT_WORDS }, (_, i) => random.readUInt32LE(i * 4) | 1)
  const shards: Array<Shard | undefined> = new Array(SHARDS).fill(undefined)
  const lists: Array<List<A> | undefined> = []
  /** Numbers that no id in the table refers to. */
  const free: Array<number> = []
  const wanted = new Uint32Array(ACCOUNT_WORDS)

  const hashOf = (ids: Uint32Array, at: number): number => {
    let hash = 0
    for (let i = 0; i < ACCOUNT_WORDS; i++) {
      hash = Math.imul(hash ^ ids[at + i]!, multipliers[i]!)
      // Only the high bits of a product depend on all bits of its factors.
      hash ^= hash >>> 16
    }
    return hash >>> 0
  }

  /** The high bits of a hash choose the chain, the low ones the shard. */
  const chainIn = ({ capacity }: Shard, hash: number): number =>
    capacity * ENTRY_WORDS + Math.floor((hash / 2 ** 32) * capacity)

  const insert = (shard: Shard, ids: Uint32Array, at: number, list: number, hash: number) => {
    const { words } = shard
    const entry = shard.used++ * ENTRY_WORDS
    for (let i = 0; i < ACCOUNT_WORDS; i++) words[entry + i] = ids[at + i]!
    const chain = chainIn(shard, hash)
    words[entry + LIST] = list
    words[entry + NEXT] = words[chain]!
    words[chain] = shard.used
  }

  /** Takes a list's number back if no id refers to it. */
  const release = (number: number, list: List<A>) => {
    if (list.ids > 0 || list.value !== undefined) return
    lists[number] = undefined
    free.push(number)
  }

  /** Drops the ids of removed lists and makes space for more. */
  const rebuild = ({ words, used }: Shard): Shard => {
    const end = used * ENTRY_WORDS
    let present = 0
    for (let entry = 0; entry < end; entry += ENTRY_WORDS) {
      if (lists[words[entry + LIST]!]!.value !== undefined) present++
    }
    const larger = makeShard(Math.max(FEWEST, Math.ceil((present + 1) * SPARE)))
    for (let entry = 0; entry < end; entry += ENTRY_WORDS) {
      const number = words[entry + LIST]!
      const list = lists[number]!
      if (list.value !== undefined) insert(larger, words, entry, number, hashOf(words, entry))
      else {
        list.ids--
        release(number, list)
      }
    }
    return larger
  }

  return {
    add: (accounts, value) => {
      const number = free.pop() ?? lists.length
      lists[number] = { value, ids: accounts.length / ACCOUNT_WORDS }
      for (let at = 0; at < accounts.length; at += ACCOUNT_WORDS) {
        const hash = hashOf(accounts, at)
        let shard = shards[hash % SHARDS] ?? makeShard(FEWEST)
        if (shard.used === shard.capacity) shard = rebuild(shard)
        shards[hash % SHARDS] = shard
        insert(shard, accounts, at, number, hash)
      }
      return number
    },
    remove: (number) => {
      const list = lists[number]!
      list.value = undefined
      release(number, list)
    },
    find: (address, use) => {
      if (writeAccountId(address, wanted, 0) === undefined) return
      const hash = hashOf(wanted, 0)
      const shard = shards[hash % SHARDS]
      if (shard === undefined) return
      const { words } = shard
      for (let next = words[chainIn(shard, hash)]!; next !== END; ) {
        const entry = (next - 1) * ENTRY_WORDS
        next = words[entry + NEXT]!
        let i = 0
        while (i < ACCOUNT_WORDS && words[entry + i] === wanted[i]) i++
        if (i < ACCOUNT_WORDS) continue
        const value = lists[words[entry + LIST]!]!.value
        if (value !== undefined) use(value)
      }
    }
  }
}
