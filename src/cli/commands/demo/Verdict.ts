/** Whether the demo's exit code may be 0: a comparison of what the ledgers caused with what receivers and log say. Pure. */
import { type Sample, type SampleCount, samples } from "./DemoReceiver.ts"
import type { DemoVerdict } from "./DemoView.ts"

const difference = (from: Iterable<string>, other: { readonly has: (id: string) => boolean }) =>
  [...from].filter((id) => !other.has(id))

type StatusCounts = (sample: Sample, status: string) => number

/** What each receiver lacks, has too much of, or got with a bad signature, and what the delivery log says otherwise. */
export const judge = (
  expected: ReadonlySet<string>,
  counts: Readonly<Record<Sample, SampleCount>>,
  statusOf: StatusCounts
): DemoVerdict => {
  const faults = samples.flatMap((sample) => {
    const { accepted, wrongSignatures } = counts[sample]
    const missing = difference(expected, accepted)
    const surplus = difference(accepted.keys(), expected)
    const delivered = statusOf(sample, "delivered")
    return [
      ...(missing.length > 0
        ? [`${sample}: ${missing.length} events did not arrive, first ${missing[0]}`]
        : []),
      ...(surplus.length > 0
        ? [`${sample}: ${surplus.length} events nobody caused, first ${surplus[0]}`]
        : []),
      ...(wrongSignatures > 0 ? [`${sample}: ${wrongSignatures} wrong signatures`] : []),
      ...(delivered !== expected.size
        ? [`${sample}: the delivery log has ${delivered} of ${expected.size} as delivered`]
        : [])
    ]
  })
  return { ok: faults.length === 0 && expected.size > 0, expectedEvents: expected.size, faults }
}
