/** How requests are signed, written and limited. */
import { MultiSelect, NumberInput, PasswordInput, Select } from "@mantine/core"
import type { UseFormReturnType } from "@mantine/form"
import type { WebhookValues } from "./values.ts"

interface RequestFieldsProps {
  readonly form: UseFormReturnType<WebhookValues>
  readonly isNew: boolean
}

const fixed = { allowDeselect: false, withScrollArea: false } as const

export const RequestFields = ({ form, isNew }: RequestFieldsProps) => (
  <div className="columns" style={{ "--column": "17rem", alignItems: "end" } as React.CSSProperties}>
    <Select
      {...fixed}
      label="Signature"
      description="Proves that a request is genuine."
      data={[
        { value: "service", label: "X-Service-Signature" },
        { value: "standard", label: "Standard Webhooks" },
        { value: "both", label: "Both" }
      ]}
      {...form.getInputProps("signing")}
    />
    <Select
      {...fixed}
      label="Format"
      description="What the body holds."
      data={[
        { value: "ledgerhook", label: "The event in JSON" },
        { value: "cloudevents", label: "CloudEvents 1.0" }
      ]}
      {...form.getInputProps("format")}
    />
    <MultiSelect
      withScrollArea={false}
      label="Added to payloads"
      description="Fields for those who book events."
      data={[
        { value: "memos", label: "Memos" },
        { value: "balance_changes", label: "Balance changes" }
      ]}
      {...form.getInputProps("include")}
    />
    <Select
      {...fixed}
      label="Compression"
      description="Your server must understand it."
      data={[
        { value: "none", label: "None" },
        { value: "gzip", label: "gzip" },
        { value: "zstd", label: "zstd" }
      ]}
      {...form.getInputProps("compression")}
    />
    <NumberInput
      label="Requests at the same time"
      description="1 to 256. With 1, they never overlap."
      min={1}
      max={256}
      allowDecimal={false}
      hideControls
      {...form.getInputProps("max_in_flight")}
    />
    <NumberInput
      label="Requests a second, at most"
      description="1 to 10,000, retries included. Empty: no limit."
      min={1}
      max={10_000}
      allowDecimal={false}
      hideControls
      {...form.getInputProps("max_per_second")}
    />
    <NumberInput
      label="Events in a request, at most"
      description="2 to 500. Empty: each event has its own request."
      min={2}
      max={500}
      allowDecimal={false}
      hideControls
      {...form.getInputProps("batch")}
    />
    {form.values.batch !== "" && (
      <NumberInput
        label="Milliseconds to wait for more events"
        description="0 to 5,000. 0: a request carries what waits."
        min={0}
        max={5_000}
        allowDecimal={false}
        hideControls
        {...form.getInputProps("batch_wait_ms")}
      />
    )}
    {isNew && (
      <PasswordInput
        label="Secret"
        description="Empty: the service makes one."
        autoComplete="off"
        visibilityToggleButtonProps={{ "aria-label": "Show or hide the secret" }}
        {...form.getInputProps("secret")}
      />
    )}
  </div>
)
