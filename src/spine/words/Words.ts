/** Numbers and times in sentences. Pure. */

const SECOND_MS = 1_000
const MINUTE_S = 60
const HOUR_S = 3_600

/** `6,310` */
export const count = (n: number): string => n.toLocaleString("en-US")

/** `1 retry`, `6,310 retries` */
export const counted = (n: number, one: string, many: string): string => `${count(n)} ${n === 1 ? one : many}`

/** `45 s`, `4 min 19 s`, `3 h 38 min` */
export const duration = (ms: number): string => {
  const seconds = Math.round(ms / SECOND_MS)
  if (seconds < MINUTE_S) return `${seconds} s`
  if (seconds < HOUR_S) return `${Math.floor(seconds / MINUTE_S)} min ${seconds % MINUTE_S} s`
  return `${Math.floor(seconds / HOUR_S)} h ${Math.floor((seconds % HOUR_S) / MINUTE_S)} min`
}
