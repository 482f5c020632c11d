/** Times between an address, which has them in UTC, and an input, which has them in the viewer's zone. Pure. */

const two = (value: number): string => String(value).padStart(2, "0")

/** For `<input type="datetime-local">`. Empty if `iso` is no time, as when somebody typed the address. */
export const localInput = (iso: string | undefined): string => {
  const at = new Date(iso ?? "")
  if (Number.isNaN(at.getTime())) return ""
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`
  return `${day}T${two(at.getHours())}:${two(at.getMinutes())}`
}

/** ISO 8601 in UTC; undefined if the input has no time. */
export const fromLocalInput = (local: string): string | undefined => {
  const at = new Date(local)
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString()
}
