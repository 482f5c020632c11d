/** Limits of incidents, mails and notices. */

export const healthLimits = {
  /** How often incidents are looked up that accounts must be notified of: they are reported at most this late. */
  incidentNoticesMs: 30_000,
  /**
   * How long a mail server, or the receiver of a notice, may take, as for a delivery attempt. A process that stops waits
   * for it, within `shutdownMs`.
   */
  mailSendMs: 10_000,
  /** How long a process may own a mail or a notice. After that it is taken for dead, and another process sends it. */
  mailLeaseMs: 60_000,
  /** Waits between attempts to send a mail or a notice. After three days it is given up. */
  mailRetryDelaysMs: [1, 5, 15, 60, 180, 360, 720, 1_440, 1_440].map((minutes) => minutes * 60_000),
  /** How long notices are kept: they are retried for three days. */
  noticesKeptMs: 7 * 24 * 3_600_000,
  /** How long mails are kept: longer than a month, because they record which quota notices an account got. */
  mailsKeptMs: 90 * 24 * 3_600_000
} as const
