/**
 * TLS of DATABASE_URL by libpq's parameters: sslmode, sslrootcert, sslcert and sslkey, which name PEM files. The driver
 * knows sslmode only, and ignores the others silently. What is not supported is refused, because ignoring it would
 * connect with less protection than the operator asked for. Error messages name the parameter, never the password.
 */
import { readFileSync } from "node:fs"
import type { ConnectionOptions } from "node:tls"
import { Effect, Schema } from "effect"

export class DatabaseTlsError extends Schema.TaggedError<DatabaseTlsError>()("DatabaseTlsError", {
  message: Schema.String
}) {}

const MODES = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"]
const FILES = { sslrootcert: "ca", sslcert: "cert", sslkey: "key" } as const
/** The names of files are paths. For sslrootcert, `system` means the authorities that Node trusts. */
const SYSTEM = "system"

/** Parameters whose default is what the driver does. */
const harmless: Readonly<Record<string, string>> = {
  sslnegotiation: "postgres",
  sslsni: "1",
  sslcompression: "0",
  sslcertmode: "allow",
  channel_binding: "prefer",
  gssencmode: "disable"
}

const refused = (parameter: string, reason: string) =>
  new DatabaseTlsError({ message: `DATABASE_URL: ${parameter}${reason}.` })

const read = (parameter: string, path: string) =>
  Effect.try({
    try: () => readFileSync(path, "utf8"),
    catch: (error) => {
      // Node's file errors carry a code.
      const { code } = error as NodeJS.ErrnoException
      return refused(parameter, `: the file ${path} cannot be read (${code})`)
    }
  })

/** Undefined: the driver's own way of sslmode is right, because no file is given. */
export const tlsOf = Effect.fnUntraced(function* (url: string) {
  const { searchParams: given } = new URL(url)
  const mode = given.get("sslmode") ?? "disable"
  if (!MODES.includes(mode)) {
    return yield* refused("sslmode", ` is not one of ${MODES.join(", ")}`)
  }
  for (const [name, value] of given) {
    const known = name === "sslmode" || Object.hasOwn(FILES, name)
    if (known || !/^ssl|^channel_binding$|^gssencmode$/.test(name) || harmless[name] === value) continue
    return yield* refused(name, " is not supported; leave it out")
  }
  const files = Object.entries(FILES).flatMap(([parameter, option]) => {
    const path = given.get(parameter)
    return path === null || (parameter === "sslrootcert" && path === SYSTEM)
      ? []
      : [{ parameter, option, path }]
  })
  if (files.length === 0) return undefined
  if (["disable", "allow", "prefer"].includes(mode)) {
    return yield* refused(
      files[0]!.parameter,
      ` needs sslmode=verify-full, or require or verify-ca; it is ${mode}`
    )
  }
  if (given.has("sslcert") !== given.has("sslkey")) {
    const [has, lacks] = given.has("sslcert") ? ["sslcert", "sslkey"] : ["sslkey", "sslcert"]
    return yield* refused(has!, ` needs ${lacks} too`)
  }
  const options: ConnectionOptions = {
    // As in libpq, verify-ca does not compare the host's name. The driver does with require, which libpq does not.
    ...(mode === "verify-ca" ? { checkServerIdentity: () => undefined } : {})
  }
  for (const { option, parameter, path } of files) options[option] = yield* read(parameter, path)
  return options
})
