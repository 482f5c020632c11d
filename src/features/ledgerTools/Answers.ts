/**
 * `ledger detect --conformance`: answers the questions of `ledgerhook conformance`, one line for each line. A question
 * that cannot be read is answered with an error and its id, so the conversation goes on.
 */

import { Effect, Stream } from "effect"
import { detectLedger } from "../../spine/detect/Detect.ts"
import type { Json } from "../../spine/event/Ledger.ts"
import { isNetwork } from "../../spine/event/Network.ts"
import { isJsonObject } from "../../spine/event/NormaliseLedger.ts"
import { fileFault, linesOf } from "../../terminal/InputFile.ts"
import { parseJson, printableLines } from "../../terminal/JsonText.ts"
import { print } from "../../terminal/Output.ts"
import { eventFields } from "./EventFields.ts"
import { ledgerToolsLimits } from "./Limits.ts"
import { recordedItems } from "./RecordedData.ts"

const answerTo = (question: Json): object => {
  const { id = null, ledger = null, network } = isJsonObject(question) ? question : {}
  const [item] = recordedItems(ledger)
  if (item === undefined) return { id, error: "the ledger is an empty list." }
  if (item._tag === "Fault") return { id, error: item.message }
  const { alerts, events } = detectLedger(item.ledger, isNetwork(network) ? network : undefined)
  return { id, events: events.map(eventFields), alerts }
}

const answerLine = (line: string): string => {
  const parsed = parseJson(line)
  return printableLines(
    JSON.stringify("value" in parsed ? answerTo(parsed.value) : { id: null, error: parsed.message })
  )
}

export const answerQuestions = (file: string) =>
  linesOf(file, ledgerToolsLimits.recordedTextLength).pipe(
    Stream.runForEach((line) => print(answerLine(line))),
    Effect.mapError((error) => fileFault(file, error))
  )
