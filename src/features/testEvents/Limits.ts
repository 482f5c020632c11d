/** Limits of requests that wait for a test delivery. */

export const testEventLimits = {
  /**
   * Requests for test events that wait for the first attempt, in one process: up to 200 looks at the database in a
   * second. Others are answered at once. One account has at most `accountRequests.atOnce` of them.
   */
  testsWaiting: 100
} as const
