/**
 * Signing in to the dashboard. A session stands for an API key: its random token is in a cookie, and it ends after 12
 * hours, or with its key. A link signs in once, within 10 minutes. Only SHA-256 hashes of both are stored. They are made
 * with different words in front, so a link or an API key is never accepted as a session's token, nor a token as a key.
 */
import { hash } from "node:crypto"
import type { KeyEnvironment } from "../event/Network.ts"
import { type Credential, randomText } from "./ApiKey.ts"

/** How long a session lasts. */
export const SESSION_MS = 12 * 3_600_000

export const newSessionToken = randomText

/** Its beginning says which of the browser's two sessions it replaces, as that of a key does. */
export const newSignInLink = (environment: KeyEnvironment): string => `link_${environment}_${randomText()}`

const LINK_FORM = /^link_(?:live|test)_[A-Za-z0-9]{43}$/

export const isSignInLink = (text: string): boolean => LINK_FORM.test(text)

export const sessionCredential = (token: string): Credential => `session ${sessionSha256(token)}`

/** In lower-case hex. */
export const sessionSha256 = (token: string): string => hash("sha256", `session ${token}`)

export const signInLinkSha256 = (link: string): string => hash("sha256", `link ${link}`)

/**
 * After `#`, so that it is in no log of a server and in no `Referer`. A service that listens on every address is not
 * reached at `0.0.0.0`.
 */
export const signInUrl = (service: string, link: string): string =>
  `${service.replace(/\/\/(?:0\.0\.0\.0|\[::\])(?=:|$)/, "//127.0.0.1")}/sign-in#link=${link}`
