/**
 * A queue whose groups take turns: each `shift` serves the next group, and of it the item that was added first. So an
 * item waits for at most one item of each other group before it, however many these have. Adding, removing and taking
 * an item cost the same in a queue of any length.
 */

/** A set that returns its items in the order in which they were added. */
const makeFifo = <A>() => {
  const items = new Set<A>()
  // One iterator for many items: each new one walks over the places of removed items, which made a queue of 100,000
  // cost a second.
  let order = items.values()
  return {
    items,
    shift: (): A | undefined => {
      let next = order.next()
      if (next.done) {
        order = items.values()
        next = order.next()
      }
      if (next.done) return undefined
      items.delete(next.value)
      return next.value
    }
  }
}

export interface FairQueue<Group, Item> {
  readonly size: () => number
  /** An item that is queued already keeps its place. */
  readonly add: (group: Group, item: Item) => void
  readonly remove: (group: Group, item: Item) => void
  /** Removes and returns the next item. */
  readonly shift: () => Item | undefined
}

export const makeFairQueue = <Group, Item>(): FairQueue<Group, Item> => {
  const groups = new Map<Group, ReturnType<typeof makeFifo<Item>>>()
  const turns = makeFifo<Group>()
  let size = 0

  return {
    size: () => size,
    add: (group, item) => {
      const queue = groups.get(group) ?? makeFifo<Item>()
      if (queue.items.has(item)) return
      queue.items.add(item)
      groups.set(group, queue)
      turns.items.add(group)
      size++
    },
    remove: (group, item) => {
      const queue = groups.get(group)
      if (queue === undefined || !queue.items.delete(item)) return
      size--
      if (queue.items.size > 0) return
      groups.delete(group)
      turns.items.delete(group)
    },
    shift: () => {
      const group = turns.shift()
      const queue = group === undefined ? undefined : groups.get(group)
      if (group === undefined || queue === undefined) return undefined
      const item = queue.shift()
      if (queue.items.size > 0) turns.items.add(group)
      else groups.delete(group)
      size--
      return item
    }
  }
}
