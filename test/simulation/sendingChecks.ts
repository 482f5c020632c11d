/** The checks of what receivers saw: in which order, how much at once, how often, and when nothing. See checks.ts. */
import { Limits } from "../../src/spine/config/Limits.ts"
import { DELIVERIES_TOPIC } from "../../src/spine/domain/Delivery.ts"
import { partitionOf } from "../../src/spine/log/Topics.ts"
import type { Evidence, Outcome } from "./evidence.ts"
import { wants } from "./wishes.ts"
import type { Receiver } from "./world/receivers.ts"

export type Check = (evidence: Evidence, outcome: Outcome) => ReadonlyArray<string>

/** How much the clocks of two processes differ at most, if none is set (processes.ts). */
export const CLOCKS_DIFFER_MS = 2_000
/** One more than the delays of node.ts. */
export const ATTEMPTS = 4

/**
 * Events that are not committed are routed again after a crash. One that the webhook came to want meanwhile may then
 * leave after later ones.
 */
export const firstsInOrder: Check = ({ webhooks, zombies }, { events, rows }) => {
  if (zombies > 0) return []
  const live = new Map(rows.flatMap(({ event, id, job }) => (job === null ? [[id, event] as const] : [])))
  const appended = new Map(events.map((one) => [one.event.event_id, one]))
  return webhooks.flatMap(({ id, receiver, versions }) => {
    const sentMs = new Map(receiver.requests.toReversed().map(({ atMs, deliveryId }) => [deliveryId, atMs]))
    const wasUnwanted = (one: string) => {
      const { atMs, event } = appended.get(live.get(one)!)!
      return versions.some(
        ({ askedMs }, i) =>
          askedMs >= atMs - CLOCKS_DIFFER_MS &&
          askedMs <= sentMs.get(one)! &&
          !wants(versions[i - 1]?.wish, event)
      )
    }
    const firsts = [...new Set(receiver.requests.map(({ deliveryId }) => deliveryId))].filter((one) =>
      live.has(one)
    )
    return firsts.flatMap((one, i) =>
      one < (firsts[i - 1] ?? "") && !wasUnwanted(one) ? [`${one} of ${id} left too late`] : []
    )
  })
}

export const windowsKept: Check = ({ webhooks, zombies }) =>
  zombies > 0
    ? []
    : webhooks.flatMap(({ batch, id, maxInFlight, receiver }) => [
        ...(receiver.mostOpen > maxInFlight ? [`${id} had ${receiver.mostOpen} requests open`] : []),
        ...receiver.arrivals.flatMap(({ deliveries }) =>
          deliveries > (batch?.max_events ?? 1) ? [`${id} got ${deliveries} deliveries in a request`] : []
        )
      ])

/** A full bucket, what flows in, and another full bucket for each time that the webhook may have a new owner. */
export const ratesKept: Check = ({ moves, webhooks }) =>
  webhooks.flatMap(({ id, maxPerSecond, receiver: { arrivals } }) => {
    if (maxPerSecond === null) return []
    const own = moves.filter(({ partition }) => partition === partitionOf(DELIVERIES_TOPIC, id))
    return arrivals.flatMap(({ atMs }, last) => {
      const tooMany = arrivals.slice(0, last + 1).find((first, i) => {
        const owners = 1 + own.filter((move) => move.atMs >= first.atMs && move.atMs <= atMs).length
        return last - i + 1 > maxPerSecond * (owners + (atMs - first.atMs) / 1_000)
      })
      return tooMany === undefined ? [] : [`${id} got more than ${maxPerSecond} requests a second at ${atMs}`]
    })
  })

/** When all processes know that the deliveries of the account wait, no attempt begins. */
export const holdsKept: Check = ({ holds, webhooks }) =>
  webhooks.flatMap(({ id, receiver: { arrivals } }) =>
    holds.flatMap(({ endAskedMs, knownMs }) => {
      const requests = arrivals.filter(({ atMs }) => atMs > knownMs && atMs < endAskedMs).length
      return requests > 0 ? [`${id} got ${requests} requests while its deliveries waited`] : []
    })
  )

/** How long a request may start with an older view: the lease, and half of it for a slow event loop or network. */
const VIEW_MS = 1.5 * Limits.webhookViewLeaseMs

/** A paused webhook gets no request, once every process must know it. One that was frozen may send what it had begun. */
export const pausesKept: Check = ({ suspensions, webhooks, zombies }) =>
  zombies + suspensions > 0
    ? []
    : webhooks.flatMap(({ id, pauses, receiver: { arrivals } }) =>
        pauses.flatMap(({ answeredMs, endAskedMs }) => {
          const knownMs = answeredMs + VIEW_MS
          const requests = arrivals.filter(({ atMs }) => atMs > knownMs && atMs < endAskedMs)
          if (requests.length === 0) return []
          const lateMs = requests.at(-1)!.atMs - knownMs
          return [`${id} got ${requests.length} requests while it was paused, ${lateMs} ms too late`]
        })
      )

/** The first arrivals of these deliveries, which `ids` has in their order, and what had become of the ones before. */
const strictIn = (receiver: Receiver, ids: ReadonlyArray<string>): ReadonlyArray<string> => {
  const requests = Map.groupBy(receiver.requests, ({ deliveryId }) => deliveryId)
  return ids.flatMap((id, i) => {
    const sentMs = requests.get(id)?.[0]?.atMs
    if (sentMs === undefined) return []
    const early = ids.slice(0, i).filter((one) => {
      const before = (requests.get(one) ?? []).filter(({ atMs }) => atMs < sentMs)
      const isTogether = requests.get(one)?.some(({ atMs }) => atMs === sentMs) === true
      return !isTogether && before.length < ATTEMPTS && !before.some(({ accepted }) => accepted)
    })
    return early.map((one) => `${id} was sent before ${one} was answered or given up`)
  })
}

/**
 * Strict order, of live deliveries and of those of each replay. `wasUnwanted`, deletion and a process that was taken for
 * dead are exceptions, as in the order of first attempts.
 */
export const strictOrderKept: Check = ({ webhooks, zombies }, { rows }) =>
  zombies > 0
    ? []
    : webhooks
        .filter(({ strict }) => strict)
        .flatMap(({ id, receiver, versions }) => {
          const own = rows.filter(({ webhook }) => webhook === id)
          // An event that it came to want, or that it got only in part of the time, may leave after later ones.
          if (versions.length > 1) return []
          return [...Map.groupBy(own, ({ job }) => job).values()].flatMap((some) =>
            strictIn(
              receiver,
              some.map((row) => row.id)
            )
          )
        })
