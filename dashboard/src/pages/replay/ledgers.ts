/** The ledger in an event's id, `xrpl:94084608:…`; undefined for the id of a test event. Pure. */
export const ledgerOf = (eventId: string): number | undefined => {
  const index = /^xrpl:(\d+):/.exec(eventId)?.[1]
  return index === undefined ? undefined : Number(index)
}
