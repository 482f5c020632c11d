/** The accounts of a webhook: all, or a list. The list is loaded when it is wanted. */
import { SegmentedControl } from "@mantine/core"
import { lazy, Suspense } from "react"
import type { Fault } from "../../../api/call.ts"
import { Loading } from "../../../ui/page/Loading.tsx"
import classes from "./AccountsField.module.css"
import type { WebhookValues } from "./values.ts"

const AccountsList = lazy(async () => ({ default: (await import("./AccountsList.tsx")).AccountsList }))

interface AccountsFieldProps {
  readonly only: boolean
  readonly accounts: ReadonlyArray<string>
  readonly onChange: (change: Partial<WebhookValues>) => void
  readonly faults: ReadonlyArray<Fault>
}

export const AccountsField = ({ only, accounts, onChange, faults }: AccountsFieldProps) => (
  <>
    <SegmentedControl
      className={classes["which"] ?? ""}
      aria-label="Which accounts"
      data={["All accounts", "Only these"]}
      value={only ? "Only these" : "All accounts"}
      onChange={(which) => onChange({ only_accounts: which === "Only these" })}
    />
    {only && (
      <Suspense fallback={<Loading lines={2} height={32} />}>
        <AccountsList
          accounts={accounts}
          onChange={(account_filters) => onChange({ account_filters })}
          faults={faults}
        />
      </Suspense>
    )}
  </>
)
