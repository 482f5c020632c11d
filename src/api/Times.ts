/** Moments as responses write them: ISO 8601, UTC, milliseconds. From a column's text or from Unix milliseconds. */
export const iso = (moment: string | number): string => new Date(moment).toISOString()
