/** What a key may do: a level for each thing, the scopes that it is made of, and both in words. Pure. */
import type { ApiKey } from "../../../api/ledgerhook.ts"

type Scope = ApiKey["scopes"][number]
export type Level = "none" | "read" | "write"

export const things = ["webhooks", "deliveries", "events", "api_keys"] as const
export type Thing = (typeof things)[number]
export type Rights = Readonly<Record<Thing, Level>>

/** `write`: what the level allows besides reading. */
export const about: Readonly<Record<Thing, { readonly name: string; readonly hint: string }>> = {
  webhooks: { name: "Webhooks", hint: "write: create, change, test, delete" },
  deliveries: { name: "Deliveries", hint: "write: retry and replay" },
  events: { name: "Events", hint: "and ledger coverage" },
  api_keys: { name: "API keys", hint: "write: create and revoke" }
}

export const networksOf = (environment: ApiKey["environment"]): string =>
  environment === "live" ? "mainnet" : "testnet and devnet"

export const levelsOf = (thing: Thing): ReadonlyArray<Level> =>
  thing === "events" ? ["none", "read"] : ["none", "read", "write"]

/** Writing includes reading: a viewer sees what it changes. */
const scopesOfThing = (thing: Thing, level: Level): ReadonlyArray<Scope> =>
  level === "none"
    ? []
    : ([`${thing}:read`, ...(level === "write" ? [`${thing}:write`] : [])] as ReadonlyArray<Scope>)

export const scopesOf = (rights: Rights): ReadonlyArray<Scope> =>
  things.flatMap((thing) => scopesOfThing(thing, rights[thing]))

const has = (scopes: ReadonlyArray<Scope>, scope: string) => scopes.some((one) => one === scope)

export const rightsOf = (scopes: ReadonlyArray<Scope>): Rights =>
  Object.fromEntries(
    things.map((thing) => [
      thing,
      has(scopes, "admin") || has(scopes, `${thing}:write`)
        ? levelsOf(thing).at(-1)!
        : has(scopes, `${thing}:read`)
          ? "read"
          : "none"
    ])
  ) as Rights

/** A key can only give what it may do itself. */
export const mayGive = (own: ReadonlyArray<Scope>, thing: Thing, level: Level): boolean =>
  has(own, "admin") || scopesOfThing(thing, level).every((scope) => has(own, scope))

/** "all", "read, write", "read", "write" or "–", as a list has it. */
export const wordOf = (scopes: ReadonlyArray<Scope>, thing: Thing): string =>
  has(scopes, "admin")
    ? "all"
    : ["read", "write"].filter((level) => has(scopes, `${thing}:${level}`)).join(", ") || "–"

const listOf = (words: ReadonlyArray<string>): string =>
  words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`

const namesOf: Readonly<Record<Thing, string>> = {
  webhooks: "webhooks",
  deliveries: "deliveries",
  events: "events",
  api_keys: "API keys"
}
const changes: Readonly<Record<Thing, string>> = {
  webhooks: "create, change and delete webhooks",
  deliveries: "retry and replay",
  events: "",
  api_keys: "create and revoke API keys"
}

/** "see webhooks and deliveries of mainnet, and retry and replay" */
export const mayDo = (scopes: ReadonlyArray<Scope>, environment: ApiKey["environment"]): string => {
  const where = networksOf(environment)
  if (has(scopes, "admin")) return `see and do everything on ${where}`
  const seen = things.filter((thing) => has(scopes, `${thing}:read`)).map((thing) => namesOf[thing])
  const changed = things.filter((thing) => has(scopes, `${thing}:write`)).map((thing) => changes[thing])
  return [
    ...(seen.length === 0 ? [] : [`see ${listOf(seen)} of ${where}`]),
    ...(changed.length === 0 ? [] : [listOf(changed)])
  ].join(", and ")
}

/** What the form says of the key before it is made. */
export const sentenceOf = (scopes: ReadonlyArray<Scope>, environment: ApiKey["environment"]): string => {
  if (scopes.length === 0) return "The key may do nothing yet. Choose what it may."
  const cannot = has(scopes, "admin") || has(scopes, "webhooks:write") ? "" : " It cannot change a webhook."
  return `The key may ${mayDo(scopes, environment)}.${cannot}`
}
