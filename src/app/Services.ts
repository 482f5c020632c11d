/**
 * What a running service gets from all features, each in its own file. No feature may import app: this file would wait
 * for itself.
 */
import { Layer } from "effect"
import { features } from "./features.ts"

export const services = (await Promise.all(features.map((feature) => feature.service()))).map(
  ({ service }) => service
)

export type Service = (typeof services)[number]

/** The stores of all features. */
export const storesOfFeatures = Layer.mergeAll(Layer.empty, ...services.map(({ stores }) => stores))
