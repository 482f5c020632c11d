/**
 * A seeded random generator (mulberry32). One seed always gives the same sequence. The simulated ledger uses no other
 * randomness, so its seed and its clock decide every ledger.
 */
export interface SeededRandom {
  /** Uniform in [0, 1). */
  readonly next: () => number
  /** Uniform integer, both ends included. */
  readonly int: (minimum: number, maximum: number) => number
  readonly flip: (probability: number) => boolean
  /** Throws if the list is empty. */
  readonly pick: <A>(list: ReadonlyArray<A>) => A
  readonly pickOrNone: <A>(list: ReadonlyArray<A>) => A | undefined
  readonly shuffle: <A>(list: ReadonlyArray<A>) => Array<A>
  /** Upper-case hex digits of `bytes` bytes. */
  readonly hex: (bytes: number) => string
}

export const makeSeededRandom = (seed: number): SeededRandom => {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const int = (minimum: number, maximum: number): number =>
    minimum + Math.floor(next() * (maximum - minimum + 1))
  const pickOrNone = <A>(list: ReadonlyArray<A>): A | undefined =>
    list.length === 0 ? undefined : list[int(0, list.length - 1)]
  return {
    next,
    int,
    flip: (probability) => next() < probability,
    pick: (list) => {
      if (list.length === 0) throw new Error("SeededRandom.pick: the list is empty")
      return list[int(0, list.length - 1)]!
    },
    pickOrNone,
    shuffle: (list) => {
      const shuffled = [...list]
      for (let i = shuffled.length - 1; i > 0; i--) {
        const other = int(0, i)
        const held = shuffled[i]!
        shuffled[i] = shuffled[other]!
        shuffled[other] = held
      }
      return shuffled
    },
    hex: (bytes) => {
      let text = ""
      for (let i = 0; i < bytes; i++) text += int(0, 255).toString(16).padStart(2, "0")
      return text.toUpperCase()
    }
  }
}
