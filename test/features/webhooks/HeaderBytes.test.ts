/** How long the headers of a request can be with the most of the webhook's own. */
import { assert, describe, it } from "@effect/vitest"
import { webhookBounds } from "../../../src/features/webhooks/Limits.ts"
import { type SignedRequest, signedRequest } from "../../../src/spine/deliver/send/Signer.ts"
import { event } from "../../support/deliver/sending.ts"

/** As HTTP writes them. */
const headBytes = (headers: SignedRequest["headers"]): number =>
  Object.entries(headers).reduce((bytes, [name, value]) => bytes + `${name}: ${value}\r\n`.length, 0)

describe("the headers of a request", () => {
  it("have less than the 8 KB that many servers take, also with the most of the webhook's own", () => {
    const own = webhookBounds.webhookHeadersLength / webhookBounds.webhookHeaders
    const { headers } = signedRequest({
      url: new URL("https://a.example/"),
      nowMs: 1_700_000_000_000,
      webhookId: `wh_${"0".repeat(26)}`,
      deliveryId: `dlv_${"0".repeat(26)}`,
      event: {
        ...event,
        event_id: `xrpl:${"9".repeat(10)}:${"A".repeat(64)}:account.settings_changed:1234`,
        event_type: "account.settings_changed",
        ledger_index: 9_999_999_999
      },
      headers: Object.fromEntries(
        Array.from({ length: webhookBounds.webhookHeaders }, (_, i) => [
          `x-${i}`,
          "a".repeat(own - `x-${i}`.length)
        ])
      ),
      secrets: [7, 8].map((fill) => `whsec_${Buffer.alloc(32, fill).toString("base64")}`),
      signing: ["service", "standard"],
      format: "cloudevents",
      compression: "gzip"
    })
    const { length } = Object.entries(headers)
      .filter(([name]) => name.startsWith("x-"))
      .map((one) => one.join(""))
      .join("")
    assert.isAbove(length, webhookBounds.webhookHeadersLength - webhookBounds.webhookHeaders)
    // HTTP adds Host, with up to 253 characters, Content-Length and Connection.
    assert.isBelow(headBytes(headers), 8_192 - 350)
  })
})
