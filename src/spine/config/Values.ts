/**
 * Parsers of setting values. Each returns undefined if the text is not valid. Definitions.ts says in words what each
 * setting accepts. Pure.
 */

const DURATION_UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  millis: 1,
  s: 1_000,
  second: 1_000,
  seconds: 1_000,
  m: 60_000,
  minute: 60_000,
  minutes: 60_000,
  h: 3_600_000,
  hour: 3_600_000,
  hours: 3_600_000,
  d: 86_400_000,
  day: 86_400_000,
  days: 86_400_000
}

/** `10 seconds`, `500ms`, `2h`, `30 days` → milliseconds. */
export const parseDuration = (text: string): number | undefined => {
  const match = /^(\d+(?:\.\d+)?)\s*([a-z]+)$/.exec(text.trim().toLowerCase())
  const unit = match === null ? undefined : DURATION_UNITS[match[2]!]
  return unit === undefined ? undefined : Math.round(Number(match![1]) * unit)
}

export const list = (text: string): ReadonlyArray<string> =>
  text
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "")

export const text = (value: string) => (value === "" ? undefined : value)

export const integer = (minimum: number, maximum: number) => (value: string) =>
  /^\d+$/.test(value) && Number(value) >= minimum && Number(value) <= maximum ? Number(value) : undefined

export const boolean = (value: string) => (value === "true" ? true : value === "false" ? false : undefined)

export const duration = (minimumMs: number) => (value: string) => {
  const ms = parseDuration(value)
  return ms !== undefined && ms >= minimumMs ? ms : undefined
}

export const urlOf =
  (...protocols: ReadonlyArray<string>) =>
  (value: string) => {
    const url = URL.parse(value)
    return url !== null && protocols.includes(url.protocol) && url.hostname !== "" ? value : undefined
  }

/**
 * A URL of PostgreSQL, with a host or a socket's folder. One with several hosts is no URL to Node; the connection refuses
 * it with a sentence (store/DatabaseUrl.ts).
 */
export const databaseUrl = (value: string): string | undefined => {
  if (!/^postgres(?:ql)?:\/\/./.test(value)) return undefined
  if (/^[^/?#]*,/.test(value.slice(value.indexOf("//") + 2))) return value
  const url = URL.parse(value)
  return url !== null && (url.hostname !== "" || url.searchParams.has("host")) ? value : undefined
}

/** A URL whose percent-encoding can be decoded. */
export const urlWithUserOf =
  (...protocols: ReadonlyArray<string>) =>
  (value: string) => {
    try {
      decodeURIComponent(value)
      return urlOf(...protocols)(value)
    } catch {
      return undefined
    }
  }

const HEADER = /^([A-Za-z0-9!#$%&'*+.^_`|~-]+)=([\x21-\x7e]*)$/

/** `name=value,name=value` with percent-encoded values, the format of OTEL_EXPORTER_OTLP_HEADERS. */
export const headers = (value: string): Readonly<Record<string, string>> | undefined => {
  const all = list(value).map((item) => HEADER.exec(item))
  try {
    const pairs = all.map((match) => [match![1]!.toLowerCase(), decodeURIComponent(match![2]!)] as const)
    return pairs.every(([, text]) => /^[\x20-\x7e]+$/.test(text)) ? Object.fromEntries(pairs) : undefined
  } catch {
    return undefined
  }
}

export const httpUrl = urlWithUserOf("http:", "https:")
