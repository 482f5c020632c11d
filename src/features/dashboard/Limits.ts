/** Limits of the built dashboard. */

export const dashboardLimits = {
  /** Files and bytes of the built dashboard, which the process keeps in memory. Today's build has less than 2 MB. */
  files: 500,
  bytes: 16 * 1024 * 1024
} as const
