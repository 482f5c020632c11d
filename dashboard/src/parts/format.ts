/** Numbers and durations as people read them. Pure. */

const counts = new Intl.NumberFormat(undefined)
const short = new Intl.NumberFormat(undefined, { notation: "compact", maximumFractionDigits: 1 })

export const count = (value: number): string => counts.format(value)

/** 12,345,678 as 12.3M. */
export const shortCount = (value: number): string => (value < 10_000 ? count(value) : short.format(value))

export const plural = (value: number, one: string, many = `${one}s`): string =>
  `${count(value)} ${value === 1 ? one : many}`

const units = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
  ["s", 1_000]
] as const

/** 850 as "850 ms", 95,000 as "1 min 35 s": the two largest units. */
export const duration = (ms: number): string => {
  if (ms < 1_000) return `${Math.round(ms)} ms`
  const first = units.findIndex(([, size]) => ms >= size)
  const [unit, size] = units[first]!
  const whole = Math.floor(ms / size)
  const next = units[first + 1]
  if (next === undefined) return ms < 10_000 ? `${(ms / 1_000).toFixed(1)} s` : `${whole} s`
  const rest = Math.floor((ms - whole * size) / next[1])
  return rest === 0 ? `${whole} ${unit}` : `${whole} ${unit} ${rest} ${next[0]}`
}
