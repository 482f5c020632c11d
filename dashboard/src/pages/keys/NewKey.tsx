/** Creates a key, and shows its value once. */
import { Button, Checkbox, Modal, Select, TextInput } from "@mantine/core"
import { useForm } from "@mantine/form"
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { useAccount } from "../../api/account.ts"
import { call } from "../../api/call.ts"
import { createApiKey, type NewApiKey } from "../../api/ledgerhook.ts"
import type { Scope } from "../../api/session.tsx"
import { Copy } from "../../parts/Copy.tsx"
import { FailureNotice } from "../../parts/Notices.tsx"

const meanings: Record<Scope, string> = {
  "webhooks:read": "see webhooks",
  "webhooks:write": "create, change, test and delete webhooks",
  "deliveries:read": "see deliveries, statistics and jobs",
  "deliveries:write": "retry deliveries and replay events",
  "events:read": "see events and ledger coverage",
  "api_keys:read": "see API keys",
  "api_keys:write": "create and revoke API keys",
  admin: "everything"
}

const every = Object.keys(meanings) as ReadonlyArray<Scope>

interface NewKeyProps {
  readonly opened: boolean
  readonly onClose: () => void
}

export const NewKey = ({ opened, onClose }: NewKeyProps) => {
  const { key: own } = useAccount()
  const queries = useQueryClient()
  // A key can only give what it may do itself.
  const grantable = own.scopes.includes("admin") ? every : every.filter((scope) => own.scopes.includes(scope))
  const form = useForm({
    initialValues: { name: "", environment: own.environment, scopes: [] as Array<Scope>, expires: "" },
    validate: {
      name: (name) => (name.trim() === "" ? "Give the key a name that says who uses it." : null),
      scopes: (scopes) => (scopes.length === 0 ? "Choose at least one." : null)
    }
  })
  const create = useMutation({
    mutationFn: ({ name, environment, scopes, expires }: typeof form.values) => {
      const wanted: NewApiKey = {
        name: name.trim(),
        environment,
        scopes,
        expires_at: expires === "" ? null : new Date(expires).toISOString()
      }
      return call(createApiKey(wanted, { idempotencyKey: crypto.randomUUID() }))
    },
    onSuccess: () => queries.invalidateQueries({ queryKey: ["keys"] })
  })
  const close = () => {
    onClose()
    create.reset()
    form.reset()
  }
  const made = create.data
  return (
    <Modal
      opened={opened}
      onClose={close}
      title={made ? "The new key" : "New API key"}
      closeOnClickOutside={!made}
      size="lg"
    >
      {made ? (
        <div className="stack-small">
          <p>This is the only time that the key is shown. Store it now, such as in a password manager.</p>
          <div className="row">
            <code className="mono">{made.key}</code>
            <Copy value={made.key} what="the key" />
          </div>
          <Button onClick={close}>I have stored it</Button>
        </div>
      ) : (
        <form className="stack-small" onSubmit={form.onSubmit((values) => create.mutate(values))}>
          <TextInput label="Name" placeholder="backend" {...form.getInputProps("name")} data-autofocus />
          <Select
            label="Networks"
            allowDeselect={false}
            data={[
              { value: "live", label: "mainnet (live key)", disabled: own.environment === "test" },
              { value: "test", label: "testnet and devnet (test key)" }
            ]}
            {...form.getInputProps("environment")}
          />
          <Checkbox.Group label="The key may" {...form.getInputProps("scopes")}>
            <div className="stack-small" style={{ gap: "0.5rem", marginTop: "0.5rem" }}>
              {grantable.map((scope) => (
                <Checkbox key={scope} value={scope} label={`${meanings[scope]} (${scope})`} />
              ))}
            </div>
          </Checkbox.Group>
          <TextInput
            type="datetime-local"
            label="Expires"
            description="In your time zone. Empty: never."
            {...form.getInputProps("expires")}
          />
          {create.isError && <FailureNotice failure={create.error} />}
          <Button type="submit" loading={create.isPending}>
            Create the key
          </Button>
        </form>
      )}
    </Modal>
  )
}
