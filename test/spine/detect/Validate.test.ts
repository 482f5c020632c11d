/** An event that does not match its published schema becomes an alert, and the other events of its ledger are emitted. */
import { assert, describe, it } from "@effect/vitest"
import { detectLedger } from "../../../src/spine/detect/Detect.ts"
import { withoutViolations } from "../../../src/spine/detect/Validate.ts"
import type { DetectedEvent, Detection } from "../../../src/spine/event/LedgerEvent.ts"
import { alice, balance, bob, created, hashNamed, key, ledgerOf, names, transaction } from "./support.ts"

const payment = (index: number, hash = hashNamed(`payment ${index}`)) =>
  transaction(
    { TransactionType: "Payment", Destination: bob, Amount: "5" },
    [balance(alice, "9", "8")],
    { TransactionIndex: index, delivered_amount: "5" },
    hash
  )

const check = (n: number) =>
  created("Check", key(n), { Account: alice, Destination: bob, SendMax: "5", Sequence: n })

const checks = (): Detection =>
  detectLedger(ledgerOf([transaction({ TransactionType: "CheckCreate" }, [check(1), check(2), check(3)])]))

/** The event at `index` as a faulty detector would return it. */
const broken = ({ alerts, events }: Detection, index: number, fault: object): Detection => ({
  alerts,
  // Typed loosely, so that the type checker does not refuse the fault.
  events: events.map((event, i) => (i === index ? ({ ...event, ...fault } as DetectedEvent) : event))
})

describe("an event that does not match its published schema", () => {
  it("becomes an alert; the ledger's other events are emitted", () => {
    const { alerts, events } = detectLedger(
      ledgerOf([payment(0), payment(1, "what no ledger has"), payment(2)])
    )
    assert.deepStrictEqual(
      events.map(({ payload }) => payload["tx_hash"]),
      [hashNamed("payment 0"), hashNamed("payment 2")]
    )
    assert.lengthOf(alerts, 1)
    const [{ code, event_type, reason, tx_hash }] = alerts as [Detection["alerts"][number]]
    assert.deepStrictEqual(
      [tx_hash, code, event_type],
      ["what no ledger has", "schema_violation", "payment.xrp"]
    )
    assert.include(reason, "does not match its published schema: /payload/tx_hash must match pattern")
  })

  it("leaves the ids of the others as they are, so that a corrected detector adds only what was withheld", () => {
    const whole = checks()
    assert.deepStrictEqual(names(whole), ["check.created:0", "check.created:1", "check.created:2"])
    const payload = { ...whole.events[1]!.payload, tx_hash: null }
    const { alerts, events } = withoutViolations(broken(whole, 1, { payload }))
    assert.deepStrictEqual(events, whole.events.toSpliced(1, 1))
    assert.lengthOf(alerts, 1)
    assert.include(alerts[0]?.reason, whole.events[1]!.event_id)
  })

  it.each([
    [
      "a field too many",
      { payload: { ...checks().events[0]!.payload, memo: "x" } },
      "/payload must NOT have"
    ],
    [
      "what JSON cannot hold",
      { payload: { ...checks().events[0]!.payload, tx_hash: 5n } },
      "/payload/tx_hash must be string"
    ],
    ["no payload", { payload: undefined }, "must have required property 'payload'"],
    ["no accounts", { accounts: [] }, "/accounts must NOT have fewer than 1 items"],
    ["an account twice", { accounts: [alice, alice] }, "/accounts must NOT have duplicate items"],
    ["what is no account", { accounts: ["alice"] }, "/accounts/0 must match pattern"],
    ["an unknown type", { event_type: "check.lost" }, "the event type is not published"]
  ])("is withheld for %s", (_, fault, expected) => {
    const { alerts, events } = withoutViolations(broken(checks(), 0, fault))
    assert.lengthOf(events, 2)
    assert.lengthOf(alerts, 1)
    assert.include(alerts[0]?.reason, expected)
  })

  it("gives its alert after those of the detectors", () => {
    const own = {
      code: "nodes_unreadable" as const,
      tx_hash: hashNamed("own"),
      event_type: null,
      reason: "undecided"
    }
    const detection = broken({ ...checks(), alerts: [own] }, 0, { accounts: [] })
    assert.deepStrictEqual(withoutViolations(detection).alerts[0], own)
  })
})
