/** The files of schemas/detection: all vectors, by chapter of docs/detection-rules.md, as JSON that reads well. Pure. */
import { accounts } from "./Accounts.ts"
import { amounts } from "./Amounts.ts"
import { booking } from "./Booking.ts"
import { bookingElse } from "./BookingElse.ts"
import type { Vector } from "./Build.ts"
import { delivered } from "./Delivered.ts"
import { deliveredElse } from "./DeliveredElse.ts"
import { deliveredRare } from "./DeliveredRare.ts"
import { checks, escrows } from "./Escrows.ts"
import { general } from "./General.ts"
import { nftOffers } from "./NftOffers.ts"
import { nfts } from "./Nfts.ts"
import { offers } from "./Offers.ts"
import { offersElse } from "./OffersElse.ts"
import { offersRemoved } from "./OffersRemoved.ts"
import { payments } from "./Payments.ts"
import { settings } from "./Settings.ts"
import { special } from "./Special.ts"
import { trustLines } from "./TrustLines.ts"
import { trustLinesElse } from "./TrustLinesElse.ts"

const chapters: Readonly<Record<string, ReadonlyArray<Vector>>> = {
  "general.json": [...general, ...special],
  "amounts.json": amounts,
  "delivered.json": [...delivered, ...deliveredElse, ...deliveredRare],
  "payments.json": payments,
  "nfts.json": [...nfts, ...nftOffers],
  "offers.json": [...offers, ...offersRemoved, ...offersElse],
  "trustlines.json": [...trustLines, ...trustLinesElse],
  "accounts.json": [...accounts, ...settings],
  "escrows.json": escrows,
  "checks.json": checks,
  "booking.json": [...booking, ...bookingElse]
}

const lines = (values: ReadonlyArray<unknown>, indent: string): string =>
  values.length === 0
    ? "[]"
    : `[\n${values.map((value) => indent + JSON.stringify(value)).join(",\n")}\n${indent.slice(2)}]`

/** Each form, event and alert on its own line. */
const textOf = ({
  about,
  alerts,
  booking: isBooking,
  events,
  input,
  name,
  network,
  rule
}: Vector): string => `  {
    "name": ${JSON.stringify(name)},
    "rule": ${JSON.stringify(rule)},
    "about": ${JSON.stringify(about)},${network === undefined ? "" : `\n    "network": ${JSON.stringify(network)},`}${isBooking ? '\n    "booking": true,' : ""}
    "input": {
${Object.entries(input)
  .map(([form, ledger]) => `      "${form}": ${JSON.stringify(ledger)}`)
  .join(",\n")}
    },
    "events": ${lines(events, "      ")},
    "alerts": ${lines(alerts, "      ")}
  }`

/** File contents by name. */
export const vectorFiles = (): ReadonlyArray<readonly [name: string, text: string]> =>
  Object.entries(chapters).map(([name, vectors]) => [name, `[\n${vectors.map(textOf).join(",\n")}\n]\n`])
