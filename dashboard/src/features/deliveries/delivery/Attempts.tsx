/** The attempts of a delivery, newest first: when, how long, where the time went, the answer. One is shown in full. */
import { Button } from "@mantine/core"
import { useState } from "react"
import type { Attempt, DeliveryDetail } from "../../../api/ledgerhook.ts"
import { Table } from "../../../ui/list/Table.tsx"
import { Section } from "../../../ui/page/Page.tsx"
import { PlainText } from "../../../ui/value/PlainText.tsx"
import { Time } from "../../../ui/value/Time.tsx"
import { duration, plural } from "../../../words/format.ts"
import { visible } from "../../../words/visible.ts"
import classes from "./Delivery.module.css"
import { timingOf, timingText } from "./timing.ts"

/** Attempts that are shown at once. */
const SHOWN = 4

const answerOf = ({ error, response_status }: Attempt) => error ?? `HTTP ${response_status}`

const Bar = ({ attempt, longestMs }: { readonly attempt: Attempt; readonly longestMs: number }) => {
  const timing = timingOf(attempt)
  if (timing === undefined) return null
  const percent = (ms: number) => `${(100 * ms) / Math.max(longestMs, 1)}%`
  return (
    <div className={classes["bar"]} role="img" aria-label={timingText(attempt)} title={timingText(attempt)}>
      <div data-part="connect" style={{ width: percent(timing.connectMs) }} />
      <div data-part="wait" style={{ width: percent(timing.waitMs) }} />
      <div data-part="read" style={{ width: percent(timing.readMs) }} />
    </div>
  )
}

interface AttemptsProps {
  readonly delivery: DeliveryDetail
  /** The attempt that is shown in full. */
  readonly shown: number | undefined
  readonly onShow: (attempt: number) => void
}

export const Attempts = ({ delivery, shown, onShow }: AttemptsProps) => {
  const { attempt_history: attempts, created_at, status } = delivery
  const [all, setAll] = useState(false)
  if (attempts.length === 0) return null
  const longestMs = Math.max(...attempts.map(({ total_ms }) => total_ms ?? 0), 1)
  const newest = attempts.toReversed()
  const listed = all ? newest : newest.slice(0, SHOWN)
  const earlier = newest.slice(SHOWN)
  const isSame = new Set(earlier.map(answerOf)).size === 1
  const waited = (attempt: Attempt) => {
    const before = attempts[attempts.indexOf(attempt) - 1]?.attempted_at ?? created_at
    return duration(Math.max(Date.parse(attempt.attempted_at) - Date.parse(before), 0), true)
  }
  return (
    <Section
      title={plural(attempts.length, "attempt")}
      note={
        status === "failed" && "No further attempt follows. Repair the receiver, then retry the delivery."
      }
      actions={
        <div className={classes["legend"]} aria-hidden>
          <span data-part="connect">connect and TLS</span>
          <span data-part="wait">first byte</span>
          <span data-part="read">the rest</span>
        </div>
      }
    >
      <Table
        label="Attempts"
        heads={[
          "No.",
          "Began",
          "Waited",
          `Where the time went, 0 to ${duration(longestMs)}`,
          "Took",
          "Answer"
        ]}
        ends={[2, 4]}
        hidden={[2, 3]}
      >
        {listed.map((attempt) => (
          <tr key={attempt.attempt}>
            <td>
              <button
                type="button"
                className={classes["number"]}
                aria-pressed={attempt.attempt === shown}
                aria-label={`Attempt ${attempt.attempt}`}
                onClick={() => onShow(attempt.attempt)}
              >
                {attempt.attempt}
              </button>
            </td>
            <td>
              <Time at={attempt.attempted_at} exact />
            </td>
            <td data-align="end" data-narrow="hidden" className="quiet">
              {waited(attempt)}
            </td>
            <td data-narrow="hidden">
              <Bar attempt={attempt} longestMs={longestMs} />
            </td>
            <td data-align="end">{attempt.total_ms === null ? "–" : duration(attempt.total_ms)}</td>
            <td>
              <span className={attempt.status === "failed" ? "bad" : "good"}>
                <PlainText>{answerOf(attempt)}</PlainText>
              </span>
            </td>
          </tr>
        ))}
      </Table>
      {!all && earlier.length > 0 && (
        <Button variant="subtle" size="xs" mt="xs" onClick={() => setAll(true)}>
          {visible(
            `${plural(earlier.length, "earlier attempt")}${isSame ? `, all ${answerOf(earlier[0]!)}` : ""}`
          )}
        </Button>
      )}
    </Section>
  )
}
