/** How a receiver answered an attempt: status, time and body, or why there was no answer and what to do. */
import type { Attempt } from "../../../api/ledgerhook.ts"
import { Code, readableJson } from "../../../ui/value/Code.tsx"
import { PlainText } from "../../../ui/value/PlainText.tsx"
import { StatusIcon } from "../../../ui/value/Status.tsx"
import { adviceFor, causeInFull, hostOf } from "../../../words/causes.ts"
import { duration } from "../../../words/format.ts"
import classes from "./SendTest.module.css"

interface AttemptAnswerProps {
  readonly attempt: Attempt
  readonly url: string
}

export const AttemptAnswer = ({ attempt, url }: AttemptAnswerProps) => {
  const { error, response_body, response_status, status, total_ms } = attempt
  const advice = error === undefined ? undefined : adviceFor(error, hostOf(url))
  return (
    <div className={classes["answer"]} data-status={status}>
      <p className={classes["outcome"]}>
        <StatusIcon of={status} />
        <b>
          <PlainText>{causeInFull(error ?? `HTTP ${response_status}`)}</PlainText>
        </b>
        {total_ms !== null && <span className="quiet">in {duration(total_ms)}</span>}
      </p>
      {advice && <p className="quiet">{advice}</p>}
      {response_body !== null && response_body !== "" && (
        <Code what="the response body">{readableJson(response_body)}</Code>
      )}
    </div>
  )
}
