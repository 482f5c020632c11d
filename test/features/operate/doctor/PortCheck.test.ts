/** `doctor` finds the service at an address that the machine has, whatever address the service listens at. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { networkInterfaces } from "node:os"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { portChecks } from "../../../../src/features/operate/doctor/PortCheck.ts"
import { testSettings } from "../../../support/program/settings.ts"

const hasIpv6 = Object.values(networkInterfaces())
  .flat()
  .some((one) => one?.address === "::1")

/** A service that listens at this address only. */
const serviceAt = (host: string) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly port: number; readonly close: () => void }>((resume) => {
      const server = createServer((_, response) => response.end('{"status":"ok"}')).listen(0, host, () =>
        // The cast is safe: a server that listens on TCP has an `AddressInfo`.
        resume(Effect.succeed({ port: (server.address() as AddressInfo).port, close: () => server.close() }))
      )
    }),
    ({ close }) => Effect.sync(close)
  )

describe("doctor, for HOST=::", () => {
  it.live.skipIf(!hasIpv6)("finds a service of a machine that has only IPv6", () =>
    Effect.gen(function* () {
      const { port } = yield* serviceAt("::1")
      const [check] = portChecks(testSettings({ HOST: "::", PORT: String(port) }), undefined)
      assert.strictEqual((yield* check!).detail, `port ${port} of :: is used by Ledgerhook, which is running`)
    }).pipe(Effect.scoped)
  )

  it.live("finds a service of a machine that has only IPv4", () =>
    Effect.gen(function* () {
      const { port } = yield* serviceAt("127.0.0.1")
      const [check] = portChecks(testSettings({ HOST: "0.0.0.0", PORT: String(port) }), undefined)
      assert.strictEqual(
        (yield* check!).detail,
        `port ${port} of 0.0.0.0 is used by Ledgerhook, which is running`
      )
    }).pipe(Effect.scoped)
  )
})
