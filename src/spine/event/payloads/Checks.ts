/** Payloads of check.* (docs/detection-rules.md 2.8). */
import { Schema } from "effect"
import { Address, Amount, Hash, optional, payload, required, Time, tx_hash, uint32 } from "./PayloadFields.ts"

/** Fields of all three event types, in their order. */
const common = {
  tx_hash,
  check_id: required(Hash, "The check's ledger entry."),
  account: required(Address, "The account that wrote the check."),
  destination: required(Address, "The account that may cash it."),
  send_max: required(Amount, "The most that the check may cost the writer."),
  sequence: required(uint32, "The sequence or ticket of the CheckCreate."),
  destination_tag: optional(
    uint32,
    "The destination tag, which names a customer or account at the destination."
  ),
  source_tag: optional(uint32, "The source tag, which names a customer or account at the writer."),
  invoice_id: optional(Hash, "The writer's reference."),
  expiration: optional(Time, "When the check expires. It cannot be cashed from then on.")
}

const check = {
  tx_hash: "2431F08B0D64A6D775E6C4E399BA4F489B776C6FCD27814D9F9D60F2611CAD6F",
  check_id: "7EE4BD4308F266E05BCF46AAD376CD41F23CB4DA66D0D259B3B8BE0692968941",
  account: "rEcB8zgJYXB51LqfTt7Pg5XF5s9Ktnr8kG",
  destination: "rn38SUyWsLSv6dAJhoHEYpKqEvLFmHJm4q",
  send_max: "228000000",
  sequence: 139
}

export const checkCreated = payload("A CheckCreate wrote a check.", common, check)

export const checkCashed = payload(
  "A CheckCash succeeded. It causes no payment event.",
  {
    ...common,
    amount: required(Amount, "The amount that the destination got.")
  },
  {
    ...check,
    tx_hash: "614C47F5F8A35458A78EBDF38E7BE2FA09AB1780286D635CDA6CFC7E7F9D77A6",
    amount: "171000000"
  }
)

export const checkCancelled = payload(
  "A CheckCancel succeeded. Expiry alone causes no event: an expired check stays until someone removes it.",
  {
    ...common,
    cancelled_by: required(Address, "The account that sent the CheckCancel."),
    reason: required(
      Schema.Literals(["cancelled", "expired"]),
      "cancelled: by its writer or its destination. expired: by another account, which is possible only after the check has expired."
    )
  },
  {
    tx_hash: "B1C3101B90E93020168C2B66B6679F125FA37CE275D5D2D5CFEC86A5C6C383BE",
    check_id: "B33E38A3EB088AFDE26720CAE76ED66833FAC34CA65341A0B7B5AFA04AC424E9",
    account: "rjzkyGHpBAW7UPYWHNURDQELiPqodPYoK",
    destination: "rECpSx32HvvW7ESQCqJ2ZLRUaeCtyHCdwE",
    send_max: {
      currency: "534F4C4F00000000000000000000000000000000",
      issuer: "r3Gehdgq8LTBm3ArrhaYMKH53Y9D5xLh8j",
      value: "265"
    },
    sequence: 178,
    expiration: "2025-11-21T00:27:04Z",
    cancelled_by: "rjzkyGHpBAW7UPYWHNURDQELiPqodPYoK",
    reason: "cancelled"
  }
)
