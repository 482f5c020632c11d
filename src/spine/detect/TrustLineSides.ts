/** The fields and flags of a RippleState's two sides. The low side has the smaller account id. */
export type Side = "low" | "high"

export const sideNames = {
  low: { limit: "LowLimit", qualityIn: "LowQualityIn", qualityOut: "LowQualityOut" },
  high: { limit: "HighLimit", qualityIn: "HighQualityIn", qualityOut: "HighQualityOut" }
} as const

export const sideFlags = {
  low: {
    reserve: 0x0001_0000,
    authorized: 0x0004_0000,
    noRipple: 0x0010_0000,
    freeze: 0x0040_0000,
    deepFreeze: 0x0200_0000
  },
  high: {
    reserve: 0x0002_0000,
    authorized: 0x0008_0000,
    noRipple: 0x0020_0000,
    freeze: 0x0080_0000,
    deepFreeze: 0x0400_0000
  }
} as const
