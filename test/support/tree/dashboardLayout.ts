/**
 * Which room of dashboard/src may import which: those before it. test/dashboard/layout.test.ts checks it. The base knows
 * no feature, a feature knows the base and the features before it, and only `app` knows all. A room is a folder of
 * dashboard/src or of its `features`, or a file beside them.
 */

const base = [
  // The generated client, the session, and the queries that many features share.
  "api",
  // Texts and numbers, addresses of pages, event types: pure.
  "words",
  // The theme, tokens and styles of every page.
  "look",
  // Components that say nothing of one feature: pages, lists, filters, values.
  "ui",
  // Axes, bars and lines.
  "charts"
]

/** In this order. Each has the name of the feature of src that it shows. */
export const dashboardFeatures = [
  "accounts",
  "health",
  "statistics",
  "progress",
  "deliveries",
  "events",
  "webhooks",
  "ledgers",
  "replay",
  "docs",
  "overview"
]

/** It shows several features of src. */
export const ofNoFeatureOfSrc = ["overview"]

/** Each may import those before it. */
export const dashboardRooms = [...base, ...dashboardFeatures.map((name) => `features/${name}`), "app", "main"]

/** The file that loads the pages. Nothing else imports a page. */
export const ROUTER = "dashboard/src/app/router.tsx"

/** A reader finds a file in a folder of this many. test/layout.test.ts has the same limit for src and test. */
export const FOLDER_FILES_MAX = 25
