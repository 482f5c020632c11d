/** Where the dashboard has the pages of the documentation. Pure. */

const GUIDES = "/docs/guides"
const EVENT_TYPES = "/docs/event-types"

/** The dashboard's own address of a page of the documentation; undefined if it has none. */
export const inDashboard = (href: string): string | undefined => {
  const [path = "", anchor] = href.split("#", 2)
  const suffix = anchor === undefined ? "" : `#${anchor}`
  if (path === "/docs") return `/reference${suffix}`
  if (path === GUIDES) return "/guides"
  if (path === EVENT_TYPES) return anchor?.includes(".") ? `/catalogue/${anchor}` : "/catalogue"
  const name = /^\/docs\/([\w-]+)$/.exec(path)?.[1]
  return name === undefined ? undefined : `/guides/${name}${suffix}`
}
