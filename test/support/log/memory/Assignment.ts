/** Shares the partitions of a group among its members. Pure. */

/**
 * The member of each unit (a partition, or the partitions of one number): as even as possible, and a unit stays with
 * its member where that is even.
 */
export const assignment = <M>(
  units: ReadonlyArray<string>,
  members: ReadonlyArray<M>,
  before: ReadonlyMap<string, M>
): ReadonlyMap<string, M> => {
  const assigned = new Map<string, M>()
  if (members.length === 0) return assigned
  const counts = new Map(members.map((member) => [member, 0]))
  const least = Math.floor(units.length / members.length)
  let spare = units.length - least * members.length
  const give = (unit: string, member: M) => {
    const count = counts.get(member)!
    if (count > least || (count === least && spare === 0)) return false
    if (count === least) spare--
    counts.set(member, count + 1)
    assigned.set(unit, member)
    return true
  }
  for (const unit of units) {
    const member = before.get(unit)
    if (member !== undefined && counts.has(member)) give(unit, member)
  }
  for (const unit of units) if (!assigned.has(unit)) members.some((member) => give(unit, member))
  return assigned
}
