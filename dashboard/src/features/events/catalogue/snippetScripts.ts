/** The programs in languages that nothing compiles first. Pure. */
import { type Kind, STORE, type Wanted } from "./snippetFields.ts"

export const typeScript = ({ type, shown }: Wanted): string => `import { createServer } from "node:http"
import { createReceiver } from "ledgerhook-receiver"
import { nodeHandler } from "ledgerhook-receiver/node"

const receiver = createReceiver({
  secrets: [process.env.LEDGERHOOK_SECRET ?? ""],
  onEvent: async (event) => {
    if (event.event_type !== "${type}") return
    const { event_id, payload } = event
    // ${STORE}
    console.log(${["event_id", ...shown.map((name) => `payload.${name}`)].join(", ")})
  }
})
createServer(nodeHandler(receiver)).listen(4000)
`

export const python = ({ type, shown }: Wanted): string => `import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from ledgerhook_receiver import LedgerhookEvent, Receiver


def on_event(event: LedgerhookEvent, delivery_id: str | None) -> None:
    if event["event_type"] != "${type}":
        return
    payload = event["payload"]
    # ${STORE}
    print(${['event["event_id"]', ...shown.map((name) => `payload["${name}"]`)].join(", ")}, flush=True)


receiver = Receiver(secrets=[os.environ["LEDGERHOOK_SECRET"]], on_event=on_event)


class Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        answer = receiver.receive(self.headers, body)
        self.send_response(answer.status)
        self.send_header("Content-Length", str(len(answer.body)))
        self.end_headers()
        self.wfile.write(answer.body)


ThreadingHTTPServer(("", 4000), Handler).serve_forever()
`

const phpTypes: Record<Kind, string> = {
  string: "string",
  int: "int",
  long: "int",
  boolean: "bool",
  list: "list<array>",
  json: "string|array"
}

export const php = ({ type, fields, shown }: Wanted): string => `<?php

$secret = getenv('LEDGERHOOK_SECRET') ?: throw new RuntimeException('LEDGERHOOK_SECRET is not set');
$body = file_get_contents('php://input');
$expected = 'sha256=' . hash_hmac('sha256', $body, $secret);
$isGenuine = false;
foreach (explode(',', $_SERVER['HTTP_X_SERVICE_SIGNATURE'] ?? '') as $given) {
    $isGenuine = $isGenuine || hash_equals($expected, trim($given));
}
if (!$isGenuine) {
    http_response_code(401);
    exit;
}

$event = json_decode($body, true, flags: JSON_THROW_ON_ERROR);
if ($event['event_type'] === '${type}') {
    /**
     * @var array{
${fields.map(({ isOptional, kind, name }) => `     *   ${name}${isOptional ? "?" : ""}: ${phpTypes[kind]}`).join(",\n")}
     * } $payload
     */
    $payload = $event['payload'];
    // ${STORE}
    error_log(implode(' ', [${["$event['event_id']", ...shown.map((name) => `$payload['${name}']`)].join(", ")}]));
}
http_response_code(204);
`

const rubyTypes: Record<Kind, string> = {
  string: "String",
  int: "Integer",
  long: "Integer",
  boolean: "true | false",
  list: "Array",
  json: "String | Hash"
}

export const ruby = ({ type, fields, shown }: Wanted): string => {
  const required = fields.filter(({ isOptional }) => !isOptional)
  const optional = fields.filter(({ isOptional }) => isOptional).map(({ name }) => name)
  const patterns = required.map(({ kind, name }) => `      ${name}: ${rubyTypes[kind]}`)
  return `require "json"
require "openssl"

SECRET = ENV.fetch("LEDGERHOOK_SECRET")

def genuine?(header, body)
  expected = "sha256=" + OpenSSL::HMAC.hexdigest("SHA256", SECRET, body)
  header.to_s.split(",").any? { |given| OpenSSL.secure_compare(given.strip, expected) }
end

def handle(event)
  case event
  in { event_type: "${type}", event_id:, payload: {
${patterns.join(",\n")}
    } => payload }
${optional.length === 0 ? "" : `    # In some payloads, as payload[:${optional[0]}]: ${optional.join(", ")}\n`}    # ${STORE}
    puts [${["event_id", ...shown.map((name) => `payload[:${name}]`)].join(", ")}].join(" ")
  else
    # An event of another type.
  end
end

run lambda { |env|
  body = env["rack.input"].read
  next [401, {}, []] unless genuine?(env["HTTP_X_SERVICE_SIGNATURE"], body)

  handle(JSON.parse(body, symbolize_names: true))
  [204, {}, []]
}
`
}
