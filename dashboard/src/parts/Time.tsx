/** A time in the viewer's zone. Its title has the same time in UTC. */

const sameYear = new Intl.DateTimeFormat(undefined, {
  day: "numeric",
  month: "short",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit"
})
const otherYear = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" })

export const localTime = (at: Date): string =>
  (at.getFullYear() === new Date().getFullYear() ? sameYear : otherYear).format(at)

/** `at`: an ISO 8601 time or Unix milliseconds. */
export const Time = ({ at }: { readonly at: string | number }) => {
  const date = new Date(at)
  const iso = date.toISOString()
  return (
    <time dateTime={iso} title={`${iso.replace("T", " ").replace(/\.000Z|Z$/, "")} UTC`}>
      {localTime(date)}
    </time>
  )
}
