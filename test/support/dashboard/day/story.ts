/**
 * A day in the life of a service, for pictures of the dashboard: nine webhooks, two of which fail, and what became of the
 * deliveries to them. Pure: the same events, webhooks and random numbers give the same day.
 */
import type { AttemptRecord } from "../../../../src/spine/deliveries/Transitions.ts"

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

interface Trouble {
  /** From this long before the end of the day. */
  readonly beganMs: number
  readonly error: string
  readonly responseStatus: number | null
}

export interface Hook {
  /** Where its receiver answers. */
  readonly path: string
  readonly description: string
  readonly types: ReadonlyArray<string>
  readonly ageDays: number
  /** Half of its answers come sooner. */
  readonly medianMs: number
  /** Every so many requests get 503; the retry succeeds. */
  readonly failsEvery?: number
  /** Its present failure. */
  readonly trouble?: Trouble
  readonly pausedMs?: number
}

export const hooks: ReadonlyArray<Hook> = [
  {
    path: "/accounting",
    description: "Old accounting system",
    types: ["payment.*"],
    ageDays: 91,
    medianMs: 74,
    failsEvery: 90,
    trouble: { beganMs: 4 * HOUR_MS + 51 * 60_000, error: "HTTP 503", responseStatus: 503 }
  },
  {
    path: "/nft-mirror",
    description: "NFT market mirror",
    types: ["nft.*"],
    ageDays: 60,
    medianMs: 96,
    trouble: {
      beganMs: 92 * 60_000,
      error: "TLS: certificate has expired",
      responseStatus: null
    }
  },
  {
    path: "/archive",
    description: "Compliance archive",
    types: ["*"],
    ageDays: 38,
    medianMs: 112,
    failsEvery: 900
  },
  {
    path: "/deposits",
    description: "Exchange deposits",
    types: ["payment.*", "account.*"],
    ageDays: 71,
    medianMs: 28
  },
  { path: "/reminders", description: "Escrow reminders", types: ["escrow.*"], ageDays: 84, medianMs: 55 },
  {
    path: "/orderbook",
    description: "Offer book feed",
    types: ["dex.*"],
    ageDays: 12,
    medianMs: 17,
    failsEvery: 700
  },
  { path: "/treasury", description: "Treasury payouts", types: ["payment.xrp"], ageDays: 84, medianMs: 41 },
  {
    path: "/lines",
    description: "Trust line monitor",
    types: ["trustline.*"],
    ageDays: 50,
    medianMs: 38,
    pausedMs: 3 * HOUR_MS
  },
  {
    path: "/accounts",
    description: "Account watch",
    types: ["account.*", "check.*"],
    ageDays: 30,
    medianMs: 63,
    failsEvery: 25
  }
]

/** Earlier incidents: days ago, hour of the day, minutes, cause, deliveries that waited, and how many of them failed. */
export const incidents = [
  {
    hook: 0,
    daysAgo: 7,
    hour: 8.3,
    minutes: 18,
    cause: "connection refused",
    waited: 63,
    failed: 0,
    by: "attempt"
  },
  {
    hook: 0,
    daysAgo: 23,
    hour: 19.4,
    minutes: 36,
    cause: "timeout after 10,000 ms",
    waited: 141,
    failed: 2,
    by: "attempt"
  },
  { hook: 0, daysAgo: 49, hour: 11.6, minutes: 90, cause: "HTTP 502", waited: 318, failed: 0, by: "retry" },
  {
    hook: 4,
    daysAgo: 72,
    hour: 2.2,
    minutes: 42,
    cause: "DNS: host not found",
    waited: 29,
    failed: 0,
    by: "attempt"
  }
] as const

export const wants = ({ types }: Hook, eventType: string): boolean =>
  types.some((type) => type === "*" || type === eventType || type === `${eventType.split(".")[0]}.*`)

type Attempt = Omit<AttemptRecord, "deliveryId">

export interface Past {
  readonly hook: Hook
  readonly createdMs: number
  /** 0, 1, 2, … for each webhook. */
  readonly number: number
  readonly nowMs: number
  /** Milliseconds between attempts. */
  readonly delaysMs: ReadonlyArray<number>
  /** Uniform from 0 to 1. */
  readonly random: () => number
}

const details = (ms: number, type: string) => ({
  connectMs: Math.round(ms * 0.2),
  firstByteMs: Math.round(ms * 0.9),
  totalMs: Math.round(ms),
  responseHeaders: { "content-type": type, server: "nginx" }
})

/** The attempts of a delivery up to now, oldest first. None: it is held. */
export const attemptsOf = ({
  hook,
  createdMs,
  number,
  nowMs,
  delaysMs,
  random
}: Past): ReadonlyArray<Attempt> => {
  if (hook.pausedMs !== undefined && createdMs > nowMs - hook.pausedMs) return []
  const answerMs = () => hook.medianMs * (0.5 + random()) * (random() > 0.97 ? 5 : 1)
  const failing = (atMs: number, first: boolean): Trouble | undefined =>
    hook.trouble !== undefined && atMs >= nowMs - hook.trouble.beganMs
      ? hook.trouble
      : first && hook.failsEvery !== undefined && number % hook.failsEvery === hook.failsEvery - 1
        ? { beganMs: 0, error: "HTTP 503", responseStatus: 503 }
        : undefined
  const attempts: Array<Attempt> = []
  let atMs = createdMs + 20
  while (atMs < nowMs) {
    const wrong = failing(atMs, attempts.length === 0)
    const tookMs = Math.round(wrong ? 9 + random() * 6 : answerMs())
    const delayMs = wrong ? (delaysMs[attempts.length] ?? null) : null
    attempts.push({
      attempt: attempts.length + 1,
      status: wrong ? (delayMs === null ? "failed" : "retrying") : "delivered",
      responseStatus: wrong ? wrong.responseStatus : 200,
      responseTimeMs: wrong?.responseStatus === null ? null : tookMs,
      responseBody: wrong
        ? wrong.responseStatus === null
          ? null
          : "maintenance: the import has stopped"
        : "ok",
      error: wrong?.error ?? null,
      attemptedAt: atMs,
      endedAt: atMs + tookMs,
      nextDelayMs: delayMs,
      ...(wrong?.responseStatus === null ? {} : { details: details(tookMs, "text/plain") })
    })
    if (delayMs === null) break
    atMs += tookMs + delayMs
  }
  return attempts
}

/** When events of the day happened: more of them in the afternoon than at night. `share`: from 0 to 1 through the day. */
export const timeOf = (share: number, nowMs: number): number => {
  const bent = share - 0.05 * Math.sin(2 * Math.PI * share)
  return nowMs - DAY_MS + bent * DAY_MS
}
