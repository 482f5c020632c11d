/** The network of a webhook. The key decides which ones can be chosen. */
import { Select, TextInput } from "@mantine/core"
import { useAccount } from "../../../api/account.ts"

interface NetworkFieldProps {
  readonly value?: string
  readonly onChange?: (value: string | null) => void
  readonly error?: React.ReactNode
  /** An existing webhook keeps its network. */
  readonly fixed: boolean
}

export const NetworkField = ({ fixed, value, onChange, error }: NetworkFieldProps) => {
  const { environment } = useAccount().key
  const networks = environment === "live" ? ["mainnet"] : ["testnet", "devnet"]
  if (fixed || networks.length === 1) {
    return (
      <TextInput
        label="Network"
        description={fixed ? "It cannot be changed." : "A test key makes webhooks of testnet and devnet."}
        value={value ?? ""}
        error={error}
        readOnly
      />
    )
  }
  return (
    <Select
      label="Network"
      description="A live key makes webhooks of mainnet."
      allowDeselect={false}
      withScrollArea={false}
      data={networks}
      value={value ?? null}
      error={error}
      {...(onChange === undefined ? {} : { onChange })}
    />
  )
}
