/** Decides the demo's exit code: compares the events that the simulator caused with the receivers' counts. Pure. */
import { type BySample, type Sample, type SampleCount, samples } from "./DemoReceiver.ts"
import type { DemoVerdict } from "./DemoView.ts"

const difference = (from: Iterable<string>, other: { readonly has: (id: string) => boolean }) =>
  [...from].filter((id) => !other.has(id))

type StatusCounts = (sample: Sample, status: string) => number

/**
 * `expected` has the ids of the events that each sample's webhook wants. Faults: events missing or surplus at a receiver, wrong signatures, deliveries not
 * recorded as delivered.
 */
export const judge = (
  expected: BySample<ReadonlySet<string>>,
  counts: BySample<SampleCount>,
  statusOf: StatusCounts
): DemoVerdict => {
  const faults = samples.flatMap((sample) => {
    const { accepted, wrongSignatures } = counts[sample]
    const missing = difference(expected[sample], accepted)
    const surplus = difference(accepted.keys(), expected[sample])
    const delivered = statusOf(sample, "delivered")
    return [
      ...(missing.length > 0
        ? [`${sample}: ${missing.length} events did not arrive, first ${missing[0]}`]
        : []),
      ...(surplus.length > 0 ? [`${sample}: ${surplus.length} unexpected events, first ${surplus[0]}`] : []),
      ...(wrongSignatures > 0 ? [`${sample}: ${wrongSignatures} wrong signatures`] : []),
      ...(delivered !== expected[sample].size
        ? [`${sample}: ${delivered} of ${expected[sample].size} deliveries are recorded as delivered`]
        : [])
    ]
  })
  const expectedEvents = expected.healthy.size
  return { ok: faults.length === 0 && expectedEvents > 0, expectedEvents, faults }
}
