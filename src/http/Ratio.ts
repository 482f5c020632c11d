/** Shares and means in responses. Pure. */

/** Two decimals; 0 if the divisor is 0. */
export const ratio = (dividend: number, divisor: number): number =>
  divisor === 0 ? 0 : Math.round((dividend / divisor) * 100) / 100
