/** Payloads of payment.* (docs/detection-rules.md 2.1, 2.2). */
import {
  Address,
  Drops,
  Hash,
  IssuedAmount,
  optional,
  payload,
  required,
  tx_hash,
  uint32
} from "./PayloadFields.ts"

const sender = required(Address, "The account that paid.")
const receiver = required(Address, "The account that was paid; the sender itself in a conversion.")
const destination_tag = optional(
  uint32,
  "The destination tag, which names a customer or account at the receiver. 0 is a valid tag."
)

const source_tag = optional(uint32, "The source tag, which names a customer or account at the sender.")
const invoice_id = optional(Hash, "The sender's reference.")

export const paymentXrp = payload(
  "A Payment transaction succeeded and delivered XRP, whatever currency the sender spent. XRP that arrives in another way (escrow, check, offer, NFT sale, account deletion, payment channel) causes no such event.",
  {
    tx_hash,
    sender,
    receiver,
    amount: required(
      Drops,
      "The amount delivered. In a partial payment it is less than the amount requested."
    ),
    destination_tag,
    source_tag,
    invoice_id
  },
  {
    tx_hash: "4692464C16F25429595B3441E48A5386FF3EE73F83B0CA778A6BA2ABDD6A878D",
    sender: "rPPxNd4wM6oW3hD13URmyASe2jHQ56rQxX",
    receiver: "rLXrxX6X9Ep8mvWwDaw3ooRehYfqDjnzdJ",
    amount: "17310000",
    destination_tag: 4009078
  }
)

export const paymentIssued = payload(
  "A Payment transaction succeeded and delivered a token (on trust lines, or a multi-purpose token), whatever currency the sender spent. Issuing and redeeming tokens are payments too.",
  {
    tx_hash,
    sender,
    receiver,
    amount: required(
      IssuedAmount,
      "The amount delivered. If the issuer is the receiver, but the receiver did not issue the token, it means any issuer that the receiver trusts."
    ),
    destination_tag,
    source_tag,
    invoice_id
  },
  {
    tx_hash: "62E1072524907E0350C4130B79D686D7B409FC54141B0C236E0B5D3488B97C30",
    sender: "rfFu2HxQjQtMwS2mku6MJXB28rLMkP84j3",
    receiver: "rphXAuKpDBM1BUB9DUqP4MLCgWnNrnu5Ee",
    amount: {
      currency: "524C555344000000000000000000000000000000",
      issuer: "rMCp1E7euh98rAaVVshYfkTfNnrWRZ46vc",
      value: "410.84"
    },
    source_tag: 6312
  }
)
