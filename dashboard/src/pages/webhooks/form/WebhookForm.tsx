/** The form of a webhook, new or changed. The service checks the values; each fault is shown at its field. */
import { Button, Textarea, TextInput } from "@mantine/core"
import { useForm } from "@mantine/form"
import { useMutation } from "@tanstack/react-query"
import type { ReactNode } from "react"
import { ApiFailure } from "../../../api/call.ts"
import { AddressesField } from "../../../parts/AddressesField.tsx"
import { addressesIn } from "../../../parts/addresses.ts"
import { patternsIn } from "../../../parts/eventTypes.ts"
import { FailureNotice } from "../../../parts/Notices.tsx"
import { Section } from "../../../parts/Page.tsx"
import { visible } from "../../../parts/visible.ts"
import { FilterField } from "./FilterField.tsx"
import { HeadersField } from "./HeadersField.tsx"
import { NetworkField } from "./NetworkField.tsx"
import { RequestFields } from "./RequestFields.tsx"
import { TypeTree } from "./TypeTree.tsx"
import { faultsByField, filterOf, type WebhookValues } from "./values.ts"

interface WebhookFormProps {
  readonly initial: WebhookValues
  /** Undefined for a new webhook. */
  readonly existing?: { readonly id: string; readonly headers: ReadonlyArray<string> }
  readonly save: (values: WebhookValues) => Promise<unknown>
  readonly action: string
  /** Stands beside the button. */
  readonly cancel: ReactNode
}

export const WebhookForm = ({ initial, existing, save, action, cancel }: WebhookFormProps) => {
  const form = useForm<WebhookValues>({
    initialValues: initial,
    // The message was about other values.
    onValuesChange: () => saving.isError && saving.reset(),
    validate: {
      url: (url) => (url.trim() === "" ? "Give the address that receives the events." : null),
      event_types: (types) => (types.length === 0 ? "Choose at least one event type." : null),
      account_filters: (text) =>
        addressesIn(text).wrong.length > 0 ? "Remove what is not an address." : null,
      payload_filter: (text) =>
        filterOf(text) === undefined ? "Correct the JSON, or empty the field." : null
    }
  })
  const saving = useMutation({
    mutationFn: save,
    onError: (failure) => {
      if (!(failure instanceof ApiFailure)) return
      for (const [field, message] of Object.entries(faultsByField(failure.faults, Object.keys(initial))))
        form.setFieldError(field, visible(message))
    }
  })
  const { values, errors } = form
  const set = <Name extends keyof WebhookValues>(name: Name) => {
    return (value: WebhookValues[Name]) => {
      form.clearFieldError(name)
      form.setValues({ [name]: value } as Partial<WebhookValues>)
    }
  }
  const filter = filterOf(values.payload_filter)
  const tried = existing && {
    id: existing.id,
    request: {
      event_types: patternsIn(values.event_types),
      account_filters: [...addressesIn(values.account_filters).addresses],
      payload_filter: filter ?? null
    }
  }
  return (
    <form className="stack-small" onSubmit={form.onSubmit((given) => saving.mutate(given))} noValidate>
      <Section title="Receiver">
        <div className="stack-small">
          <TextInput
            label="Address (URL)"
            description="Your server. It is called with a POST request for each event."
            placeholder="https://example.com/hooks/xrpl"
            type="url"
            required
            spellCheck={false}
            {...form.getInputProps("url")}
          />
          <div className="columns">
            <Textarea
              label="Description"
              description="A note of your own. It becomes the webhook's name in these pages."
              rows={1}
              maxLength={500}
              {...form.getInputProps("description")}
            />
            <NetworkField fixed={existing !== undefined} {...form.getInputProps("network")} />
          </div>
        </div>
      </Section>
      <Section title="Which events">
        <div className="stack-small">
          <TypeTree value={values.event_types} onChange={set("event_types")} error={errors["event_types"]} />
          <AddressesField
            label="Accounts"
            description="Only events that involve at least one of these addresses. Empty: events of every address."
            value={values.account_filters}
            onChange={set("account_filters")}
            error={errors["account_filters"]}
          />
          <FilterField
            value={values.payload_filter}
            onChange={set("payload_filter")}
            error={errors["payload_filter"]}
            tried={tried}
          />
        </div>
      </Section>
      <Section title="How they are sent">
        <div className="stack-small">
          <RequestFields form={form} isNew={existing === undefined} />
          <HeadersField
            value={values.headers}
            onChange={set("headers")}
            present={existing?.headers ?? []}
            error={errors["headers"]}
          />
        </div>
      </Section>
      {saving.isError && <FailureNotice failure={saving.error} />}
      {Object.keys(errors).length > 0 && !saving.isError && (
        <div role="alert" style={{ color: "var(--bad)" }}>
          Some fields above need a correction.
        </div>
      )}
      <div className="row">
        <Button type="submit" loading={saving.isPending}>
          {action}
        </Button>
        {cancel}
      </div>
    </form>
  )
}
