/** The fields of an event's payload, in readable units. The JSON below them has what the ledger has. */
import { Link } from "@tanstack/react-router"
import { Copy } from "../../../ui/value/Copy.tsx"
import { PlainText } from "../../../ui/value/PlainText.tsx"
import { Time } from "../../../ui/value/Time.tsx"
import { amountOf, currencyName, decimal, type ReadableAmount } from "../amounts.ts"
import {
  type Change,
  changesIn,
  hexText,
  isAddress,
  isTime,
  labelOf,
  rateText,
  tokenFields
} from "../fields.ts"
import type { Network } from "../list/filters.ts"

interface Context {
  readonly network: Network
  /** Of the trust line that the event is about. */
  readonly currency: string | undefined
}

interface ValueProps extends Context {
  readonly field: string
  readonly value: unknown
}

const Account = ({ address, network }: { readonly address: string; readonly network: Network }) => (
  <Link className="mono" to="/events" search={{ account: address, network }} title="Events of this account">
    {address}
  </Link>
)

const Amount = ({ amount, network }: { readonly amount: ReadableAmount; readonly network: Network }) => (
  <>
    <strong>{amount.text}</strong>
    {amount.issuer !== undefined && (
      <div className="quiet">
        issued by <Account address={amount.issuer} network={network} />
      </div>
    )}
    {amount.code !== undefined && (
      <div className="quiet">
        code <span className="mono">{amount.code}</span>
      </div>
    )}
  </>
)

const Changes = ({ changes, ...context }: Context & { readonly changes: ReadonlyArray<Change> }) => (
  <ul style={{ margin: 0, paddingLeft: "1.1rem" }}>
    {changes.map(({ what, previous, value }) => (
      <li key={what}>
        {labelOf(what)}: {previous !== undefined && <Value field={what} value={previous} {...context} />}
        {previous !== undefined && " → "}
        {value === undefined ? "unset" : <Value field={what} value={value} {...context} />}
      </li>
    ))}
  </ul>
)

const Code = ({ text }: { readonly text: string }) => (
  <span className="mono">
    <PlainText>{text}</PlainText>
  </span>
)

const Decoded = ({ text, code }: { readonly text: string; readonly code: string }) => (
  <>
    <PlainText>{text}</PlainText>
    <div className="quiet">
      <Code text={code} />
    </div>
  </>
)

const Text = ({ field, value, network, currency }: ValueProps & { readonly value: string }) => {
  if (isTime(value)) return <Time at={value} />
  if (isAddress(value)) return <Account address={value} network={network} />
  if (tokenFields.has(field)) return `${decimal(value)} ${currencyName(currency ?? "")}`
  const decoded = field === "currency" ? currencyName(value) : (hexText(field, value) ?? value)
  if (decoded !== value) return <Decoded text={decoded} code={value} />
  return value.length >= 32 ? <Code text={value} /> : <PlainText>{value}</PlainText>
}

const Value = ({ field, value, ...context }: ValueProps) => {
  const amount = amountOf(field, value)
  if (amount !== undefined) return <Amount amount={amount} network={context.network} />
  if (typeof value === "string") return <Text field={field} value={value} {...context} />
  if (typeof value === "boolean") return value ? "yes" : "no"
  if (typeof value === "number") return rateText(field, value) ?? String(value)
  const changes = field === "changes" ? changesIn(value) : undefined
  if (changes !== undefined) return <Changes changes={changes} {...context} />
  return <Code text={JSON.stringify(value)} />
}

interface PayloadProps {
  readonly payload: Readonly<Record<string, unknown>>
  readonly network: Network
}

export const Payload = ({ payload, network }: PayloadProps) => {
  const currency = typeof payload["currency"] === "string" ? payload["currency"] : undefined
  return (
    <dl className="facts">
      {Object.entries(payload).map(([field, value]) => (
        <div key={field} style={{ display: "contents" }}>
          <dt title={field}>{labelOf(field)}</dt>
          <dd>
            <Value field={field} value={value} network={network} currency={currency} />{" "}
            {field === "tx_hash" && (
              <Copy value={String(value)} what="the hash of the transaction" look="icon" />
            )}
          </dd>
        </div>
      ))}
    </dl>
  )
}
