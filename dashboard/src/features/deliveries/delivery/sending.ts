/** Commands that send a delivery's request again from the viewer's machine. Pure. */
import type { DeliveryDetail } from "../../../api/ledgerhook.ts"
import { shellText } from "./snippets.ts"

export const LOCAL_URL = "http://localhost:3000/hook"

/** What the API does not show: signatures and the values of the webhook's own headers. */
const HIDDEN = "***"

/** Undefined if the request is not known. Headers whose values are hidden are left out. A batch is an array. */
export const curlOf = (
  { attempt_history, request_body, request_headers }: DeliveryDetail,
  url: string
): string | undefined => {
  if (request_body === null || request_headers === null) return undefined
  const body = attempt_history.at(-1)?.batch_id == null ? request_body : `[${request_body}]`
  const headers = Object.entries(request_headers).filter(
    ([name, value]) => !value.includes(HIDDEN) && !/^content-encoding$/i.test(name)
  )
  return [
    `curl -i ${shellText(url)}`,
    ...headers.map(([name, value]) => `-H ${shellText(`${name}: ${value}`)}`),
    `--data-binary ${shellText(body)}`
  ].join(" \\\n  ")
}

/** The command that posts new events of the same type to the viewer's machine. */
export const forwardLine = (serviceUrl: string, type: string, network: string | undefined): string =>
  [
    "LEDGERHOOK_API_KEY=… ledgerhook listen",
    `--forward ${LOCAL_URL}`,
    `--url ${serviceUrl}`,
    `--type ${type}`,
    ...(network === undefined || network === "mainnet" ? [] : [`--network ${network}`])
  ].join(" ")
