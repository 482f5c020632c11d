/**
 * What DATABASE_URL may say. The driver ignores parameters that it does not know, and cannot read several hosts. Both are
 * refused by name, because who sets them relies on them: on the primary of two servers, for example. Pure.
 */

/** Parameters of libpq that are used (`ssl…` in DatabaseTls.ts). */
const USED = ["host", "port", "user", "password", "dbname", "application_name", "options", "connect_timeout"]

/** The process probes its connections itself, and speaks UTF-8. */
const HARMLESS =
  /^(?:keepalives(?:_idle|_interval|_count)?|tcp_user_timeout|fallback_application_name|client_encoding)$/

/** Parameters whose default is what the driver does. */
const DEFAULTS: Readonly<Record<string, string>> = {
  target_session_attrs: "any",
  load_balance_hosts: "disable"
}

/** Those of TLS have their own sentences. */
const OF_TLS = /^(?:ssl|channel_binding$|gssencmode$)/

const SCHEME = /^postgres(?:ql)?:\/\//

const ONE_ADDRESS =
  "name one address that leads to the primary: a proxy, a pooler, a virtual address or a DNS name that follows a failover"

const authorityOf = (url: string): string => /^[^/?#]*/.exec(url.replace(SCHEME, ""))?.[0] ?? ""

/** Why the URL cannot be used; undefined if it can. Names the parameter, never the password. */
export const databaseUrlFault = (text: string): string | undefined => {
  const several = `several hosts are not supported; ${ONE_ADDRESS}`
  // A password may contain a comma, and ends at the last @.
  if (authorityOf(text).replace(/^.*@/, "").includes(",")) return several
  const url = URL.parse(text)
  if (url === null) return "it is no URL; encode special characters of user and password as %XX"
  for (const [name, value] of url.searchParams) {
    if (["host", "port"].includes(name) && value.includes(",")) return several
    if (USED.includes(name) || HARMLESS.test(name) || OF_TLS.test(name) || DEFAULTS[name] === value) continue
    if (name === "target_session_attrs" || name === "load_balance_hosts")
      return `${name} is not supported; leave it out, and ${ONE_ADDRESS}`
    return `the parameter ${name} is not supported; leave it out (docs/access.md lists those that are)`
  }
  return undefined
}

/** Host, port and database, without user and password. */
export const addressOf = (text: string): string => {
  const { hostname, port, pathname, searchParams } = new URL(text)
  const host = searchParams.get("host") ?? hostname
  const usedPort = searchParams.get("port") ?? port
  const name = searchParams.get("dbname")
  return `${host}${usedPort === "" ? "" : `:${usedPort}`}${name === null ? pathname : `/${name}`}`
}
