/** A payload filter in JSON, and how many of the newest events the filters would match. */
import { Button, Textarea } from "@mantine/core"
import { useMutation } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import type { ReactNode } from "react"
import { call } from "../../../api/call.ts"
import { type FilterPreview, type PreviewRequest, previewWebhook } from "../../../api/ledgerhook.ts"
import { count, plural } from "../../../parts/format.ts"
import { FailureNotice } from "../../../parts/Notices.tsx"
import { Time } from "../../../parts/Time.tsx"
import { filterOf } from "./values.ts"

/** Events that a preview examines. */
const EXAMINED = 5_000

const EXAMPLE = '{ "amount": { "$gte": "1000000" } }'

const Preview = ({ examined, candidates, matched, by_type, oldest_at, sample_event_ids }: FilterPreview) => (
  <div role="status">
    {examined === 0 ? (
      "The network has no event yet."
    ) : (
      <>
        <strong>{plural(matched, "event")} would have been sent</strong> of the newest {count(examined)}
        {oldest_at !== null && (
          <>
            {" "}
            (since <Time at={oldest_at} />)
          </>
        )}
        . {plural(candidates, "event")} had a wanted type and address.
        {matched > 0 && (
          <div className="quiet">
            {Object.entries(by_type)
              .map(([type, events]) => `${type}: ${count(events)}`)
              .join(", ")}
          </div>
        )}
        {sample_event_ids.length > 0 && (
          <div>
            Newest:{" "}
            {sample_event_ids.map((id, at) => (
              <span key={id}>
                {at > 0 && ", "}
                <Link to="/events/$id" params={{ id }} target="_blank">
                  event {at + 1}
                </Link>
              </span>
            ))}
          </div>
        )}
      </>
    )}
  </div>
)

interface PayloadFilterInputProps {
  readonly value: string
  readonly onChange: (text: string) => void
  readonly error?: ReactNode
}

export const PayloadFilterInput = ({ value, onChange, error }: PayloadFilterInputProps) => (
  <Textarea
    label="Payload filter"
    description="JSON. Only events whose fields meet all conditions are sent. Empty: every event."
    placeholder={EXAMPLE}
    rows={4}
    resize="vertical"
    spellCheck={false}
    styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)" } }}
    value={value}
    onChange={(event) => onChange(event.currentTarget.value)}
    error={error ?? (filterOf(value) === undefined ? `Write a JSON object, such as ${EXAMPLE}.` : undefined)}
  />
)

interface FilterFieldProps extends PayloadFilterInputProps {
  /** The webhook and its filters as the form has them; undefined for a new webhook. */
  readonly tried: { readonly id: string; readonly request: PreviewRequest } | undefined
}

export const FilterField = ({ tried, ...input }: FilterFieldProps) => {
  const preview = useMutation({
    mutationFn: ({ id, request }: NonNullable<typeof tried>) =>
      call(previewWebhook(id, { ...request, events: EXAMINED }, { idempotencyKey: crypto.randomUUID() }))
  })
  return (
    <div className="stack-small" style={{ gap: "0.5rem" }}>
      <PayloadFilterInput {...input} />
      {tried === undefined ? (
        <div className="quiet">When the webhook exists, you can try filters before you save them.</div>
      ) : (
        <>
          <div>
            <Button
              size="xs"
              variant="default"
              loading={preview.isPending}
              onClick={() => preview.mutate(tried)}
            >
              Try the filters
            </Button>
          </div>
          {preview.isError && <FailureNotice failure={preview.error} />}
          {preview.data && <Preview {...preview.data} />}
        </>
      )}
    </div>
  )
}
