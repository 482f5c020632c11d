/** Which events a replay sends: by time, and by what else the webhook asks for. */
import { TextInput } from "@mantine/core"
import { IconAlertTriangle } from "@tabler/icons-react"
import { type ReactNode, useState } from "react"
import { useMay } from "../../api/account.ts"
import { EventTypeName } from "../../ui/value/EventTypeName.tsx"
import { addressesIn } from "../../words/addresses.ts"
import { plural } from "../../words/format.ts"
import { localInput } from "../../words/localInput.ts"
import { PayloadFilterInput } from "../webhooks/form/PayloadFilterInput.tsx"
import { TypeTree } from "../webhooks/form/TypeTree.tsx"
import { AddressesField } from "./AddressesField.tsx"
import classes from "./NewReplay.module.css"
import type { Span } from "./spans.ts"
import { WhenChart } from "./WhenChart.tsx"
import type { Problems, ReplayValues } from "./wanted.ts"

export interface FieldsProps {
  readonly values: ReplayValues
  readonly problems: Problems
  readonly set: (change: Partial<ReplayValues>) => void
}

interface FilterRowProps {
  readonly name: string
  readonly value: ReactNode
  readonly isSet: boolean
  readonly hasProblem: boolean
  /** The field. */
  readonly children: ReactNode
}

/** A filter as a line, until it is changed. */
const FilterRow = ({ name, value, isSet, hasProblem, children }: FilterRowProps) => {
  const [isOpen, setOpen] = useState(false)
  if (isOpen || hasProblem) return <div className={classes["open"]}>{children}</div>
  return (
    <div className={classes["row"]}>
      <span className="quiet">{name}</span>
      <span className={classes["value"]}>{value}</span>
      <button type="button" onClick={() => setOpen(true)} aria-label={`${isSet ? "Change" : "Add"} ${name}`}>
        {isSet ? "Change" : "Add"}
      </button>
    </div>
  )
}

const inputOf = (at: number | undefined) => (at === undefined ? "" : localInput(new Date(at).toISOString()))

const Times = ({ values, problems, set, spans }: FieldsProps & { readonly spans: ReadonlyArray<Span> }) => {
  const mayRead = useMay("deliveries:read")
  return (
    <fieldset className={classes["times"]}>
      <legend>
        Which time{" "}
        <span className={`note ${classes["legendNote"]}`}>by the time at which the ledger closed</span>
      </legend>
      <div className={classes["spans"]}>
        {spans.map(({ happened, label, since, until }) => (
          <button
            key={label}
            type="button"
            aria-pressed={since === values.since && until === values.until}
            onClick={() => set({ since, until })}
          >
            {happened && <IconAlertTriangle size={16} aria-hidden />}
            {label}
          </button>
        ))}
      </div>
      {mayRead && values.webhook_id !== undefined && (
        <WhenChart
          webhookId={values.webhook_id}
          spans={spans}
          chosen={values}
          onChoose={(since, until) => set({ since: inputOf(since), until: inputOf(until) })}
        />
      )}
      <div className="columns">
        <TextInput
          type="datetime-local"
          label="After"
          description="In your time zone. Empty: from the first ledger that is kept."
          value={values.since}
          onChange={(event) => set({ since: event.currentTarget.value })}
        />
        <TextInput
          type="datetime-local"
          label="Before"
          description="In your time zone. Empty: until now."
          value={values.until}
          onChange={(event) => set({ until: event.currentTarget.value })}
          error={problems.until}
        />
      </div>
    </fieldset>
  )
}

export const Filters = ({
  spans,
  isFilledIn,
  ...fields
}: FieldsProps & { readonly spans: ReadonlyArray<Span>; readonly isFilledIn: boolean }) => {
  const { problems, set, values } = fields
  const accounts = addressesIn(values.accounts).addresses.length
  return (
    <>
      <Times {...fields} spans={spans} />
      <div className={classes["rows"]}>
        <FilterRow
          name="Types"
          isSet
          hasProblem={problems.event_types !== undefined}
          value={values.event_types.map((pattern) => <EventTypeName key={pattern}>{pattern}</EventTypeName>)}
        >
          <TypeTree
            value={values.event_types}
            onChange={(event_types) => set({ event_types })}
            error={problems.event_types}
          />
        </FilterRow>
        <FilterRow
          name="Accounts"
          isSet={accounts > 0}
          hasProblem={problems.accounts !== undefined}
          value={accounts === 0 ? "every account" : plural(accounts, "account")}
        >
          <AddressesField
            label="Accounts"
            description="Only events that involve at least one of these addresses. Empty: events of every address."
            value={values.accounts}
            onChange={(text) => set({ accounts: text })}
            error={problems.accounts}
          />
        </FilterRow>
        <FilterRow
          name="Payload filter"
          isSet={values.payload_filter !== ""}
          hasProblem={problems.payload_filter !== undefined}
          value={
            values.payload_filter === "" ? "none" : <span className="mono">{values.payload_filter}</span>
          }
        >
          <PayloadFilterInput
            value={values.payload_filter}
            onChange={(payload_filter) => set({ payload_filter })}
            error={problems.payload_filter}
          />
        </FilterRow>
      </div>
      {isFilledIn && <p className="note">Filled in from the webhook; only what stands here counts.</p>}
    </>
  )
}
