/**
 * Loads the library xrpl at its first use. It takes 8 MB and 0.1 s, and only simulated ledgers, test deliveries and the
 * full verification of ledgers need it.
 */
import { createRequire } from "node:module"

const require = createRequire(import.meta.url)
let loaded: typeof import("xrpl") | undefined

export const loadXrpl = (): typeof import("xrpl") => (loaded ??= require("xrpl") as typeof import("xrpl"))
