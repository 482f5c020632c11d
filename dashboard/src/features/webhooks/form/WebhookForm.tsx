/**
 * The form of a webhook, new or changed. It says before saving what would be sent. The service checks the values; the
 * first fault is scrolled to and focused, and each turns its section and its field red.
 */
import { TextInput } from "@mantine/core"
import { useMutation } from "@tanstack/react-query"
import { type FormEvent, type ReactNode, useEffect, useMemo, useRef, useState } from "react"
import { useAccount } from "../../../api/account.ts"
import { ApiFailure, type Fault } from "../../../api/call.ts"
import type { DayPreviewRequest } from "../../../api/ledgerhook.ts"
import { FailureNotice } from "../../../ui/page/Notices.tsx"
import { patternsIn } from "../../../words/eventTypes.ts"
import { count } from "../../../words/format.ts"
import { objectIn } from "../../../words/json.ts"
import { asksFor } from "../../../words/patterns.ts"
import { useEventCounts, useEventTypes } from "../../events/useEventTypes.ts"
import { AccountsField } from "./AccountsField.tsx"
import { costOf } from "./cost.ts"
import { FormBar } from "./FormBar.tsx"
import { FaultLine, FormSection } from "./FormSection.tsx"
import {
  faultsAt,
  faultySections,
  fieldOf,
  localFaults,
  type SectionName,
  sentenceOf,
  withHttps
} from "./faults.ts"
import { FilterBuilder } from "./filter/FilterBuilder.tsx"
import { fieldsOf } from "./filter/fields.ts"
import { Matches, useDayPreview } from "./filter/Matches.tsx"
import { useFilter } from "./filter/useFilter.ts"
import classes from "./form.module.css"
import { HeadersField } from "./HeadersField.tsx"
import { Leaving } from "./Leaving.tsx"
import { NetworkField } from "./NetworkField.tsx"
import { RequestFields } from "./RequestFields.tsx"
import { toFault } from "./scrolling.ts"
import { TypeTree } from "./TypeTree.tsx"
import { ACCOUNTS_MAX, accountsIn, type WebhookValues } from "./values.ts"

interface WebhookFormProps {
  readonly initial: WebhookValues
  /** Undefined for a new webhook. */
  readonly existing?: { readonly headers: ReadonlyArray<string> }
  readonly save: (values: WebhookValues) => Promise<unknown>
  readonly action: string
  /** Stands beside the button. */
  readonly cancel: ReactNode
}

export const WebhookForm = ({ initial, existing, save, action, cancel }: WebhookFormProps) => {
  const form = useRef<HTMLFormElement>(null)
  const [values, setValues] = useState(initial)
  const [faults, setFaults] = useState<ReadonlyArray<Fault>>([])
  /** Counts the attempts to save, each of which scrolls to the first fault. */
  const [refusals, setRefusals] = useState(0)
  const saved = useRef(false)
  const { environment } = useAccount().key
  const { quota } = useAccount().usage
  const counts = useEventCounts(values.network)?.by_type
  const described = useEventTypes()

  const set = (change: Partial<WebhookValues>) => {
    setValues((before) => ({ ...before, ...change }))
    const changed = Object.keys(change).map((name) =>
      name === "only_accounts" ? "account_filters" : name.startsWith("batch") ? "batch" : name
    )
    // A fault was about the value before. Which fields a filter may name depends on the types.
    const gone = changed.includes("event_types") ? [...changed, "payload_filter"] : changed
    setFaults((before) => before.filter((fault) => !gone.includes(fieldOf(fault) ?? "")))
    if (saving.isError) saving.reset()
  }
  const filter = useFilter(values.payload_filter, (payload_filter) => set({ payload_filter }))

  const saving = useMutation({ mutationFn: save })
  const refuse = (found: ReadonlyArray<Fault>) => {
    setFaults(found)
    setRefusals((before) => before + 1)
  }
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const found = localFaults(values, filter.unfinished)
    if (found.length > 0) return refuse(found)
    saved.current = true
    try {
      await saving.mutateAsync(values)
    } catch (failure) {
      saved.current = false
      refuse(failure instanceof ApiFailure ? failure.faults : [])
    }
  }

  const faulty = faultySections(faults)
  const [at, setAt] = useState<SectionName>()
  const goTo = (name: SectionName | undefined) => {
    setAt(name)
    if (form.current !== null) toFault(form.current, name ?? "failure")
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when it was refused, not while faults are corrected.
  useEffect(() => goTo(faulty[0]), [refusals])
  const next = () => goTo(faulty[(faulty.indexOf(at ?? faulty[0]!) + 1) % faulty.length])

  const types = patternsIn(values.event_types)
  const fields = useMemo(
    () => fieldsOf((described ?? []).filter(({ event_type }) => asksFor(values.event_types, event_type))),
    [described, values.event_types]
  )
  const parsed = objectIn(values.payload_filter)
  const chosen = {
    network: values.network,
    event_types: types,
    account_filters: accountsIn(values)
  }
  const request: DayPreviewRequest | undefined =
    types.length === 0 || parsed === undefined
      ? undefined
      : {
          ...chosen,
          payload_filter: parsed
        }
  const preview = useDayPreview(request)
  const isRefused = preview.day.isError || parsed === undefined
  // With a fault in the filter there is still a count of what it would choose from.
  const unfiltered = useDayPreview(
    isRefused && types.length > 0 ? { ...chosen, payload_filter: null } : undefined
  )
  const { data: day, error: refused } = preview.day
  // The API checks the filter whenever it counts, so its faults show before one saves.
  const early =
    refused instanceof ApiFailure && !preview.isOld ? faultsAt(refused.faults, "payload_filter") : []
  const saidFaults = faultsAt(faults, "payload_filter")
  const filterFaults = saidFaults.length > 0 ? saidFaults : early
  const cost =
    day !== undefined && request !== undefined && filterFaults.length === 0 ? costOf(day, quota) : undefined

  const url = faultsAt(faults, "url").map((fault) => withHttps(fault, values.url))
  const isDirty = JSON.stringify(values) !== JSON.stringify(initial)
  const others = faults.filter((fault) => faultySections([fault]).length === 0)
  return (
    <form ref={form} onSubmit={submit} noValidate>
      <FormSection
        name="where"
        purpose="Each attempt looks the address up again and refuses private ones."
        faults={faults}
      >
        <div>
          <TextInput
            className={classes["mono"]}
            label="Address"
            placeholder="https://example.com/hooks/xrpl"
            type="url"
            spellCheck={false}
            value={values.url}
            error={url.length > 0}
            onChange={(event) => set({ url: event.currentTarget.value })}
          />
          <FaultLine faults={url} onUse={(suggestion) => set({ url: suggestion })} />
        </div>
        <div>
          <TextInput
            label={
              <>
                Name <small>as lists and mails show it</small>
              </>
            }
            className={classes["named"]}
            value={values.description}
            error={faultsAt(faults, "description").length > 0}
            onChange={(event) => set({ description: event.currentTarget.value })}
          />
          <FaultLine faults={faultsAt(faults, "description")} />
        </div>
        {existing === undefined && environment === "test" && (
          <NetworkField value={values.network} onChange={(network) => set({ network })} />
        )}
      </FormSection>
      <FormSection
        name="events"
        purpose="A family also covers types that later versions add to it."
        faults={faults}
      >
        <TypeTree
          value={values.event_types}
          onChange={(event_types) => set({ event_types })}
          error={faultsAt(faults, "event_types").map(sentenceOf)[0]}
          counts={counts}
          note={counts && `on ${values.network}, last 24 h`}
        />
      </FormSection>
      <FormSection
        name="accounts"
        purpose={`Only events that involve one of them: up to ${count(ACCOUNTS_MAX)}.`}
        faults={faults}
      >
        <AccountsField
          only={values.only_accounts}
          accounts={values.account_filters}
          onChange={set}
          faults={faultsAt(faults, "account_filters")}
        />
      </FormSection>
      <FormSection
        name="filter"
        purpose="Conditions on the fields of the chosen types. What is built and the JSON change together."
        faults={[...faults, ...early]}
      >
        <FilterBuilder filter={filter} fields={fields} faults={filterFaults} />
        <Matches
          preview={preview}
          candidates={unfiltered.day.data?.candidates}
          hasTypes={types.length > 0}
          hasFault={parsed === undefined || filterFaults.length > 0}
          hasFilter={parsed !== null}
          root={filter.root}
          fields={fields}
        />
      </FormSection>
      <FormSection name="sending" purpose="The defaults fit most receivers." faults={faults}>
        <RequestFields values={values} set={set} faults={faults} isNew={existing === undefined} />
      </FormSection>
      <FormSection
        name="headers"
        purpose="Sent with each request. Their values are not shown again."
        faults={faults}
      >
        <HeadersField
          value={values.headers}
          onChange={(headers) => set({ headers })}
          present={existing?.headers ?? []}
          faults={faultsAt(faults, "headers")}
        />
      </FormSection>
      {saving.isError && (faulty.length === 0 || others.length > 0) && (
        <div data-section="failure">
          <FailureNotice failure={saving.error} />
        </div>
      )}
      <FormBar
        faulty={faulty}
        faults={faults.length}
        onNext={next}
        summary={
          cost === undefined ? (
            <span className={classes["where"]}>
              {types.length === 0 ? "No event type is chosen yet." : "Nothing is sent before you save."}
            </span>
          ) : (
            <>
              <b>{cost[0]}</b> <span className={classes["where"]}>{cost[1]}</span>
            </>
          )
        }
        cancel={cancel}
        action={action}
        saving={saving.isPending}
      />
      <Leaving isDirty={isDirty} saved={saved} />
    </form>
  )
}
