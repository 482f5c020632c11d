/** How requests are ordered, batched, limited, signed and written. */
import { Checkbox, Select, Switch, TextInput } from "@mantine/core"
import { type ReactNode, useId } from "react"
import type { Fault } from "../../../api/call.ts"
import { FaultLine } from "./FormSection.tsx"
import { faultsAt } from "./faults.ts"
import classes from "./form.module.css"
import type { WebhookValues } from "./values.ts"

interface RequestFieldsProps {
  readonly values: WebhookValues
  readonly set: (change: Partial<WebhookValues>) => void
  readonly faults: ReadonlyArray<Fault>
  readonly isNew: boolean
}

const select = {
  allowDeselect: false,
  withScrollArea: false,
  comboboxProps: { withinPortal: false }
} as const
const number = { inputMode: "numeric", autoComplete: "off" } as const

interface NamedProps {
  readonly name: string
  readonly note?: string
  readonly faults?: ReadonlyArray<Fault>
  readonly children: ReactNode
}

/** Controls with one name. */
const Named = ({ name, note, faults = [], children }: NamedProps) => (
  <fieldset className={classes["fields"]}>
    <legend className={classes["label"]}>
      {name} {note && <small>{note}</small>}
    </legend>
    {children}
    <FaultLine faults={faults} />
  </fieldset>
)

const unit = (text: string) =>
  ({
    rightSection: <span className={classes["unit"]}>{text}</span>,
    rightSectionWidth: "auto",
    rightSectionPointerEvents: "none"
  }) as const

const Ordering = ({ values, set }: Pick<RequestFieldsProps, "values" | "set">) => {
  const group = useId()
  const choice = (ordering: WebhookValues["ordering"], name: string, says: string) => (
    <label className={classes["radio"]}>
      <input
        type="radio"
        name={group}
        checked={values.ordering === ordering}
        onChange={() => set({ ordering })}
      />
      <span>
        <b>{name}</b> <span>{says}</span>
      </span>
    </label>
  )
  return (
    <Named name="Order">
      <div className={classes["two"]}>
        {choice("first_attempt", "By first attempt", "A retry does not hold later events back.")}
        {choice("strict", "Strict", "Nothing later is sent until the earlier one is answered.")}
      </div>
    </Named>
  )
}

const Batch = ({ values, set, faults }: Omit<RequestFieldsProps, "isNew">) => {
  const batch = faultsAt(faults, "batch")
  return (
    <Named name="Batch" note="one request carries several events" faults={batch}>
      <div className={classes["inline"]}>
        <Switch
          size="xs"
          aria-label="Send batches"
          checked={values.batched}
          onChange={(event) => set({ batched: event.currentTarget.checked })}
        />
        {values.batched ? (
          <>
            <TextInput
              {...number}
              {...unit("events")}
              aria-label="Events in a request, at most"
              value={values.batch}
              error={batch.length > 0}
              onChange={(event) => set({ batch: event.currentTarget.value })}
            />
            <span>or</span>
            <TextInput
              {...number}
              {...unit("ms")}
              aria-label="Milliseconds to wait for more events"
              value={values.batch_wait_ms}
              onChange={(event) => set({ batch_wait_ms: event.currentTarget.value })}
            />
          </>
        ) : (
          <span>each event has its own request</span>
        )}
      </div>
    </Named>
  )
}

const Limits = ({ values, set, faults }: Omit<RequestFieldsProps, "isNew">) => {
  const [inFlight, perSecond] = [faultsAt(faults, "max_in_flight"), faultsAt(faults, "max_per_second")]
  return (
    <Named name="Limits" note="empty: 16 at once, any number a second" faults={[...inFlight, ...perSecond]}>
      <div className={classes["inline"]}>
        <TextInput
          {...number}
          {...unit("at once")}
          aria-label="Requests at the same time"
          value={values.max_in_flight}
          error={inFlight.length > 0}
          onChange={(event) => set({ max_in_flight: event.currentTarget.value })}
        />
        <TextInput
          {...number}
          {...unit("a second")}
          aria-label="Requests a second, at most"
          placeholder="none"
          value={values.max_per_second}
          error={perSecond.length > 0}
          onChange={(event) => set({ max_per_second: event.currentTarget.value })}
        />
      </div>
    </Named>
  )
}

const Secret = ({ values, set, faults }: Omit<RequestFieldsProps, "isNew">) => (
  <div>
    <Select
      {...select}
      label="Secret"
      data={[
        { value: "made", label: "The service makes one and shows it once" },
        { value: "own", label: "One of your own" }
      ]}
      value={values.secret === undefined ? "made" : "own"}
      onChange={(which) => set({ secret: which === "own" ? "" : undefined })}
    />
    {values.secret !== undefined && (
      <TextInput
        type="password"
        mt="sm"
        aria-label="Your secret"
        placeholder="16 to 128 characters"
        autoComplete="off"
        value={values.secret}
        error={faultsAt(faults, "secret").length > 0}
        onChange={(event) => set({ secret: event.currentTarget.value })}
      />
    )}
    <FaultLine faults={faultsAt(faults, "secret")} />
  </div>
)

export const RequestFields = ({ isNew, ...fields }: RequestFieldsProps) => {
  const { values, set, faults } = fields
  const includes = (one: WebhookValues["include"][number]) => ({
    checked: values.include.includes(one),
    onChange: () =>
      set({
        include: values.include.includes(one)
          ? values.include.filter((other) => other !== one)
          : [...values.include, one]
      })
  })
  return (
    <>
      <Ordering values={values} set={set} />
      <div className={classes["two"]}>
        <Batch {...fields} />
        <Limits {...fields} />
        <div>
          <Select
            {...select}
            label="Signed as"
            data={[
              { value: "service", label: "X-Service-Signature" },
              { value: "standard", label: "Standard Webhooks" },
              { value: "both", label: "X-Service-Signature and Standard Webhooks" }
            ]}
            value={values.signing}
            error={faultsAt(faults, "signing").length > 0}
            onChange={(signing) => set({ signing: signing as WebhookValues["signing"] })}
          />
          <FaultLine faults={faultsAt(faults, "signing")} />
        </div>
        <Named
          name="Format and compression"
          faults={[...faultsAt(faults, "format"), ...faultsAt(faults, "compression")]}
        >
          <div className={classes["inline"]}>
            <Select
              {...select}
              aria-label="Format"
              data={[
                { value: "ledgerhook", label: "Ledgerhook JSON" },
                { value: "cloudevents", label: "CloudEvents 1.0" }
              ]}
              value={values.format}
              onChange={(format) => set({ format: format as WebhookValues["format"] })}
            />
            <Select
              {...select}
              aria-label="Compression"
              data={[
                { value: "none", label: "uncompressed" },
                { value: "gzip", label: "gzip" },
                { value: "zstd", label: "zstd" }
              ]}
              value={values.compression}
              onChange={(compression) => set({ compression: compression as WebhookValues["compression"] })}
            />
          </div>
        </Named>
        {isNew && <Secret {...fields} />}
        <Named name="Also in the payload" faults={faultsAt(faults, "include")}>
          <div className={classes["checks"]}>
            <Checkbox size="xs" label="memos" {...includes("memos")} />
            <Checkbox size="xs" label="balance changes" {...includes("balance_changes")} />
          </div>
        </Named>
      </div>
    </>
  )
}
