/** What the webhooks answered: beside the picture, or on a narrow screen below it. */
import { Link } from "@tanstack/react-router"
import { PlainText } from "../../../ui/value/PlainText.tsx"
import { StatusIcon } from "../../../ui/value/Status.tsx"
import { count } from "../../../words/format.ts"
import classes from "./Live.module.css"
import { answersAt, type Grid } from "./layout.ts"
import type { Ledger } from "./ledgers.ts"
import { answerOf, type Row } from "./rows.ts"
import type { PictureState } from "./usePicture.ts"

const AnswerRow = ({ row: { id, name, state }, ledger }: { readonly row: Row; readonly ledger: Ledger }) => {
  const activity = ledger.webhooks.find(({ webhook_id }) => webhook_id === id)
  const { detail, status, tone } = answerOf(activity, state)
  const events = activity?.events ?? 0
  return (
    <tr data-tone={tone}>
      <th scope="row">
        <Link to="/webhooks/$id" params={{ id }} title={name}>
          <StatusIcon of={state} />
          <span className={classes["hidden"]}>{state}: </span>
          <PlainText>{name}</PlainText>
        </Link>
      </th>
      <td>{events === 0 ? "none" : count(events)}</td>
      {status !== "" && <td className={classes["status"]}>{status}</td>}
      <td colSpan={status === "" ? 2 : 1} title={activity?.last_error ?? undefined}>
        {detail}
      </td>
    </tr>
  )
}

export const Answers = ({ picture, grid }: { readonly picture: PictureState; readonly grid: Grid }) => {
  const { chosen, newest, pausedAt, rows } = picture
  const ledger = chosen ?? newest
  if (ledger === undefined || rows.length === 0) return null
  const { pitch, top } = answersAt(grid.height, rows.length)
  return (
    <table
      className={classes["answers"]}
      style={
        { "--top": `${top}px`, "--pitch": `${pitch}px`, "--from": `${grid.to}px` } as React.CSSProperties
      }
      data-narrow={grid.narrow}
      aria-label="What the webhooks answered"
    >
      <thead>
        <tr>
          <th scope="col" data-chosen={chosen !== undefined}>
            {chosen === undefined && pausedAt === undefined
              ? "of the newest ledger"
              : `of ledger ${count(ledger.ledger_index)}`}
          </th>
          <th scope="col">events</th>
          <th scope="col" colSpan={2}>
            answer
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <AnswerRow key={row.id} row={row} ledger={ledger} />
        ))}
      </tbody>
    </table>
  )
}
