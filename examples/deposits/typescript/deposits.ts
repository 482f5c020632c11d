/**
 * Books the deposits to one address from Ledgerhook's webhooks: each exactly once, in one SQL transaction, before it
 * answers. Settings are environment variables; ../README.md explains them.
 */
import { readFileSync } from "node:fs"
import { createServer } from "node:http"
import { createReceiver, type LedgerhookEvent } from "ledgerhook-receiver"
import { nodeHandler } from "ledgerhook-receiver/node"
import pg from "pg"

const { ADDRESS = "", DATABASE_URL, LEDGERHOOK_SECRET = "", NETWORK = "mainnet", PORT = "4000" } = process.env
if (ADDRESS === "") throw new Error("ADDRESS is not set: name the account whose deposits are booked.")

type Amount =
  | string
  | { currency: string; issuer: string; value: string }
  | { mpt_issuance_id: string; value: string }
type Asset = "XRP" | { currency: string; issuer: string } | { mpt_issuance_id: string }

/** What `include` adds to each payload. */
interface Common {
  readonly tx_hash: string
  readonly balance_changes?: ReadonlyArray<{ account: string; asset: Asset; change: string }>
}

/** A token is its currency AND its issuer: anybody can issue another "USD". */
const nameOf = (asset: Asset): string =>
  asset === "XRP" ? asset : "currency" in asset ? `${asset.currency}.${asset.issuer}` : asset.mpt_issuance_id

interface Deposit {
  readonly asset: string
  readonly amount: string | null
  readonly tag: number | undefined
}

const deposit = (amount: Amount, tag: number | undefined): Deposit =>
  typeof amount === "string"
    ? { asset: "XRP", amount, tag }
    : { asset: nameOf(amount), amount: amount.value, tag }

/** What the event brought to the address from somebody else. */
const depositOf = (event: LedgerhookEvent): Deposit | undefined => {
  switch (event.event_type) {
    case "payment.xrp":
    case "payment.issued": {
      const { amount, destination_tag, receiver, sender } = event.payload
      return receiver === ADDRESS && sender !== ADDRESS ? deposit(amount, destination_tag) : undefined
    }
    case "check.cashed": {
      const { amount, destination, destination_tag } = event.payload
      return destination === ADDRESS ? deposit(amount, destination_tag) : undefined
    }
    case "escrow.finished": {
      const { amount, delivered_amount, destination, destination_tag, owner } = event.payload
      if (destination !== ADDRESS || owner === ADDRESS) return undefined
      // `amount` is what was set aside: of a token, a transfer fee may have been taken from it.
      if (delivered_amount === undefined && typeof amount !== "string")
        return { asset: nameOf(amount), amount: null, tag: destination_tag }
      return deposit(delivered_amount ?? amount, destination_tag)
    }
    case "account.deleted": {
      const { delivered_amount = null, destination, destination_tag } = event.payload
      return destination === ADDRESS
        ? { asset: "XRP", amount: delivered_amount, tag: destination_tag }
        : undefined
    }
    default:
      return undefined
  }
}

const pool = new pg.Pool({ connectionString: DATABASE_URL })
// The pool replaces a connection that the database has closed.
pool.on("error", (error) => console.error(error.message))
await pool.query(readFileSync(new URL("../schema.sql", import.meta.url), "utf8"))

const book = async (event: LedgerhookEvent): Promise<void> => {
  // A test event is invented, and its network is testnet.
  if (event.network !== NETWORK) return
  const { event_id, event_type, ledger_index, network, timestamp } = event
  // Every payload has these, also one of a type that the receiver package does not know yet.
  const { balance_changes = [], tx_hash } = event.payload as Common
  const found = depositOf(event)
  const changes = balance_changes.filter(({ account }) => account === ADDRESS)
  const client = await pool.connect()
  try {
    await client.query("BEGIN")
    if (found !== undefined)
      await client.query("SELECT book_deposit($1, $2, $3, $4, $5, $6, $7, $8, $9)", [
        ...[network, event_id, event_type, tx_hash, ledger_index, timestamp],
        ...[found.asset, found.amount, found.tag ?? null]
      ])
    for (const { account, asset, change } of changes)
      await client.query("INSERT INTO account_changes VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING", [
        ...[network, tx_hash, account, nameOf(asset), change]
      ])
    await client.query("COMMIT")
    client.release()
  } catch (error) {
    // Closes the connection, which ends its transaction. The answer is 500, and the service sends the event again.
    client.release(true)
    throw error
  }
}

const receiver = createReceiver({ secrets: [LEDGERHOOK_SECRET], onEvent: book })
createServer(nodeHandler(receiver)).listen(Number(PORT), () => console.log(`Listening on ${PORT}`))
