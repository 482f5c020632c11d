/** Creates a key, and shows its value once. */
import { Button, SegmentedControl, TextInput } from "@mantine/core"
import { useForm } from "@mantine/form"
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { useId, useMemo, useState } from "react"
import { useAccount } from "../../../api/account.ts"
import { call } from "../../../api/call.ts"
import { type ApiKey, createApiKey, type NewApiKey } from "../../../api/ledgerhook.ts"
import type { Scope } from "../../../api/session.tsx"
import { NotMade, SecretModal } from "../../../ui/page/SecretModal.tsx"
import { localDate } from "../../../words/format.ts"
import { visible } from "../../../words/visible.ts"
import classes from "./Keys.module.css"
import * as rights from "./rights.ts"

const DAY_MS = 86_400_000
const lifetimes = [
  { value: "30", label: "30 days" },
  { value: "90", label: "90 days" },
  { value: "365", label: "1 year" },
  { value: "never", label: "never" }
]

const expiryOf = (days: string): Date | null =>
  days === "never" ? null : new Date(Date.now() + Number(days) * DAY_MS)

const ACTION = "Create key"

interface NewKeyProps {
  /** The key that the new one replaces: it has the same rights. */
  readonly replaced: ApiKey | undefined
  readonly opened: boolean
  readonly onClose: () => void
}

interface RightsFieldProps {
  readonly own: ReadonlyArray<Scope>
  readonly value: ReadonlyArray<Scope>
  readonly onChange: (scopes: ReadonlyArray<Scope>) => void
  readonly error: React.ReactNode
}

const RightsField = ({ own, value, onChange, error }: RightsFieldProps) => {
  const id = useId()
  const admin = value.includes("admin")
  const chosen = rights.rightsOf(value)
  return (
    <fieldset className={classes["fieldset"]} aria-labelledby={id}>
      <div className={classes["rightsHead"]}>
        <strong id={id}>It may</strong>
        {own.includes("admin") && (
          <button type="button" onClick={() => onChange(admin ? [] : ["admin"])}>
            {admin ? "Choose what it may" : "Everything (admin)"}
          </button>
        )}
      </div>
      <div className={classes["rights"]}>
        {rights.things.map((thing) => (
          <div key={thing}>
            <span>
              <strong>{rights.about[thing].name}</strong>
              <small>{rights.about[thing].hint}</small>
            </span>
            <SegmentedControl
              withItemsBorders={false}
              aria-label={rights.about[thing].name}
              disabled={admin}
              data={rights.levelsOf(thing).map((level) => ({
                value: level,
                label: level,
                disabled: !rights.mayGive(own, thing, level)
              }))}
              value={chosen[thing]}
              onChange={(level) => onChange(rights.scopesOf({ ...chosen, [thing]: level as rights.Level }))}
            />
          </div>
        ))}
      </div>
      {error && <p className={classes["fault"]}>{error}</p>}
    </fieldset>
  )
}

const Form = ({ replaced, opened, onClose }: NewKeyProps) => {
  const { key: own } = useAccount()
  const queries = useQueryClient()
  // The same values are the same request, so that a repeated one makes no second key.
  const [request, setRequest] = useState<string>(() => crypto.randomUUID())
  const form = useForm({
    initialValues: {
      name: replaced?.name ?? "",
      environment: replaced?.environment ?? own.environment,
      scopes: (replaced?.scopes ?? []) as ReadonlyArray<Scope>,
      days: "90"
    },
    onValuesChange: () => {
      setRequest(crypto.randomUUID())
      create.isError && create.reset()
    },
    validate: {
      name: (name) => (name.trim() === "" ? "Give the key a name that says who uses it." : null),
      scopes: (scopes) => (scopes.length === 0 ? "Choose what the key may." : null)
    }
  })
  const { name, environment, scopes, days } = form.values
  // A repeated request must be the same one.
  const expires = useMemo(() => expiryOf(days), [days])
  const create = useMutation({
    mutationFn: () => {
      const wanted: NewApiKey = {
        name: name.trim(),
        environment,
        scopes: [...scopes],
        expires_at: expires?.toISOString() ?? null
      }
      return call(createApiKey(wanted, { idempotencyKey: request }))
    },
    onSuccess: () => queries.invalidateQueries({ queryKey: ["keys"] })
  })
  const made = create.data
  return (
    <SecretModal
      opened={opened}
      onClose={onClose}
      title={replaced ? `Replace ${visible(replaced.name)}` : "New API key"}
      madeTitle="The new key"
      what="the key"
      purpose={
        made && (
          <>
            A program sends it as the header <code>X-Service-Key</code>. It may{" "}
            {rights.mayDo(made.scopes, made.environment)}.
          </>
        )
      }
      secret={made?.key}
      busy={create.isPending}
      more={replaced && <p>Revoke the old key when nothing uses it any more.</p>}
    >
      <form className={classes["form"]} onSubmit={form.onSubmit(() => create.mutate())}>
        <TextInput
          label={
            <>
              Name <small className={classes["hint"]}>who uses it</small>
            </>
          }
          {...form.getInputProps("name")}
          data-autofocus
        />
        <div>
          <strong className={classes["label"]}>Networks</strong>
          <div>
            <SegmentedControl
              withItemsBorders={false}
              aria-label="Networks"
              data={(["live", "test"] as const).map((one) => ({
                value: one,
                label: rights.networksOf(one),
                disabled: one === "live" && own.environment === "test"
              }))}
              value={environment}
              onChange={(one) => form.setFieldValue("environment", one as typeof environment)}
            />
          </div>
        </div>
        <RightsField
          own={own.scopes}
          value={scopes}
          onChange={(given) => form.setFieldValue("scopes", given)}
          error={form.errors["scopes"]}
        />
        <div>
          <strong className={classes["label"]}>Expires</strong>
          <div className="row">
            <SegmentedControl
              withItemsBorders={false}
              aria-label="Expires"
              data={lifetimes}
              value={days}
              onChange={(value) => form.setFieldValue("days", value)}
            />
            {expires && <span className="quiet">on {localDate(expires)}</span>}
          </div>
        </div>
        <p className={classes["summary"]} role="status">
          {rights.sentenceOf(scopes, environment)}
        </p>
        {create.isError && <NotMade failure={create.error} action={ACTION} />}
        <div className="dialog-actions">
          <Button variant="subtle" color="gray" disabled={create.isPending} onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={create.isPending}>
            {ACTION}
          </Button>
        </div>
      </form>
    </SecretModal>
  )
}

/** Each opening begins with an empty form. */
export const NewKey = (props: NewKeyProps) => {
  const [times, setTimes] = useState(0)
  const close = () => {
    props.onClose()
    setTimes(times + 1)
  }
  return <Form key={`${times} ${props.replaced?.id}`} {...props} onClose={close} />
}
