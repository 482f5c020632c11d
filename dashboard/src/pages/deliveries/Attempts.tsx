/** The attempts of a delivery, oldest first: when, how long, the outcome, and the response. */
import type { Attempt, DeliveryDetail } from "../../api/ledgerhook.ts"
import { Code, readableJson } from "../../parts/Code.tsx"
import { duration } from "../../parts/format.ts"
import { Section } from "../../parts/Page.tsx"
import { PlainText } from "../../parts/PlainText.tsx"
import { Status } from "../../parts/Status.tsx"
import { Time } from "../../parts/Time.tsx"
import classes from "./Attempts.module.css"
import { timingOf, timingText } from "./timing.ts"

interface BarProps {
  readonly attempt: Attempt
  /** The longest attempt has the full width. */
  readonly longestMs: number
}

const Bar = ({ attempt, longestMs }: BarProps) => {
  const timing = timingOf(attempt)
  const percent = (ms: number) => `${(100 * ms) / Math.max(longestMs, 1)}%`
  return (
    <div className={classes["timing"]}>
      {timing && (
        <div className={classes["bar"]} aria-hidden>
          <div data-part="connect" style={{ width: percent(timing.connectMs) }} />
          <div data-part="wait" style={{ width: percent(timing.waitMs) }} />
          <div data-part="read" style={{ width: percent(timing.readMs) }} />
        </div>
      )}
      <div className="quiet">{timingText(attempt)}</div>
    </div>
  )
}

const Response = ({ attempt, response_headers, response_body }: Attempt) => {
  if (response_headers === null && (response_body === null || response_body === "")) return null
  return (
    <details className={classes["details"]}>
      <summary>Response</summary>
      <div className="stack">
        {response_headers !== null && (
          <Code what={`the response headers of attempt ${attempt}`}>
            {Object.entries(response_headers)
              .map(([name, value]) => `${name}: ${value}`)
              .join("\n")}
          </Code>
        )}
        {response_body !== null && response_body !== "" && (
          <Code what={`the response body of attempt ${attempt}`}>{readableJson(response_body)}</Code>
        )}
      </div>
    </details>
  )
}

interface AttemptItemProps extends BarProps {
  readonly previous: Attempt | undefined
}

const AttemptItem = ({ attempt, longestMs, previous }: AttemptItemProps) => (
  <li className={classes["attempt"]} data-status={attempt.status}>
    <div className="row">
      <strong>Attempt {attempt.attempt}</strong>
      <Status of={attempt.status} />
      {attempt.error !== undefined ? (
        <PlainText>{attempt.error}</PlainText>
      ) : (
        attempt.response_status !== null && <span>HTTP {attempt.response_status}</span>
      )}
      <span className="quiet">
        <Time at={attempt.attempted_at} />
        {previous !== undefined &&
          `, ${duration(Date.parse(attempt.attempted_at) - Date.parse(previous.attempted_at))} later`}
        {attempt.batch_id !== null && `, in the batch ${attempt.batch_id}`}
      </span>
    </div>
    <Bar attempt={attempt} longestMs={longestMs} />
    <Response {...attempt} />
  </li>
)

export const Attempts = ({ attempt_history: attempts, next_attempt_at, status }: DeliveryDetail) => {
  const longestMs = Math.max(...attempts.map(({ total_ms }) => total_ms ?? 0), 0)
  return (
    <Section title="Attempts">
      <ol className={classes["timeline"]}>
        {attempts.map((attempt, index) => (
          <AttemptItem
            key={attempt.attempt}
            attempt={attempt}
            longestMs={longestMs}
            previous={attempts[index - 1]}
          />
        ))}
        {next_attempt_at !== null && (
          <li className={classes["attempt"]} data-status="next">
            <strong>Next attempt</strong>{" "}
            <span className="quiet">
              <Time at={next_attempt_at} />
            </span>
          </li>
        )}
        {status === "pending" && (
          <li className={classes["attempt"]} data-status="next">
            {attempts.length === 0 ? "Waits for its first attempt." : "Waits for its next attempt."}
          </li>
        )}
        {status === "failed" && (
          <li className={classes["attempt"]} data-status="end">
            No further attempt follows. Repair the receiver, then retry the delivery.
          </li>
        )}
      </ol>
      {attempts.some((attempt) => timingOf(attempt) !== undefined) && (
        <div className={classes["legend"]} aria-hidden>
          <span data-part="connect">connecting</span>
          <span data-part="wait">waiting for the response</span>
          <span data-part="read">reading it</span>
        </div>
      )}
    </Section>
  )
}
