/** The network of a new webhook, where a key may choose one. */
import { SegmentedControl } from "@mantine/core"
import type { Webhook } from "../../../api/ledgerhook.ts"
import classes from "./form.module.css"

interface NetworkFieldProps {
  readonly value: Webhook["network"]
  readonly onChange: (value: Webhook["network"]) => void
}

export const NetworkField = ({ value, onChange }: NetworkFieldProps) => (
  <div>
    <span className={classes["label"]}>
      Network <small>a test key has two</small>
    </span>
    <SegmentedControl
      aria-label="Network"
      data={["testnet", "devnet"]}
      value={value}
      onChange={(network) => onChange(network as Webhook["network"])}
    />
  </div>
)
