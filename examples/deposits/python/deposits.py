"""Books the deposits to one address from Ledgerhook's webhooks: each exactly once, in one SQL transaction, before it
answers. Settings are environment variables; ../README.md explains them.
"""

import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from ledgerhook_receiver import Receiver
from psycopg_pool import ConnectionPool

ADDRESS = os.environ["ADDRESS"]
NETWORK = os.environ.get("NETWORK", "mainnet")
PORT = int(os.environ.get("PORT", "4000"))


def name_of(asset):
    """A token is its currency AND its issuer: anybody can issue another "USD"."""
    if asset == "XRP":
        return asset
    return f"{asset['currency']}.{asset['issuer']}" if "currency" in asset else asset["mpt_issuance_id"]


def asset_and_value(amount):
    return ("XRP", amount) if isinstance(amount, str) else (name_of(amount), amount["value"])


def deposit_of(event):
    """What the event brought to the address from somebody else: asset, amount, destination tag."""
    payload = event["payload"]
    tag = payload.get("destination_tag")
    match event["event_type"]:
        case "payment.xrp" | "payment.issued":
            if payload["receiver"] == ADDRESS and payload["sender"] != ADDRESS:
                return *asset_and_value(payload["amount"]), tag
        case "check.cashed":
            if payload["destination"] == ADDRESS:
                return *asset_and_value(payload["amount"]), tag
        case "escrow.finished":
            if payload["destination"] == ADDRESS and payload["owner"] != ADDRESS:
                # `amount` is what was set aside: of a token, a transfer fee may have been taken from it.
                asset, value = asset_and_value(payload.get("delivered_amount", payload["amount"]))
                return asset, value if asset == "XRP" or "delivered_amount" in payload else None, tag
        case "account.deleted":
            if payload.get("destination") == ADDRESS:
                return "XRP", payload.get("delivered_amount"), tag
    return None


def book(event, delivery_id):
    # A test event is invented, and its network is testnet.
    if event["network"] != NETWORK:
        return
    payload, deposit = event["payload"], deposit_of(event)
    tx_hash = payload["tx_hash"]
    # The block is one transaction. If it fails, the answer is 500, and the service sends the event again.
    with pool.connection() as connection:
        if deposit is not None:
            fields = ("network", "event_id", "event_type", "ledger_index", "timestamp")
            network, event_id, event_type, ledger_index, closed_at = (event[field] for field in fields)
            connection.execute(
                "SELECT book_deposit(%s, %s, %s, %s, %s, %s, %s, %s, %s)",
                (network, event_id, event_type, tx_hash, ledger_index, closed_at, *deposit),
            )
        for change in payload.get("balance_changes", []):
            if change["account"] == ADDRESS:
                connection.execute(
                    "INSERT INTO account_changes VALUES (%s, %s, %s, %s, %s) ON CONFLICT DO NOTHING",
                    (event["network"], tx_hash, ADDRESS, name_of(change["asset"]), change["change"]),
                )


class Hooks(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # One packet for headers and body.

    def do_POST(self):
        answer = receiver.receive(self.headers, self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(answer.status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer.body)))
        self.end_headers()
        self.wfile.write(answer.body.encode())

    def log_message(self, *_):
        pass


pool = ConnectionPool(os.environ["DATABASE_URL"], min_size=1, max_size=10)
with pool.connection() as setup:
    setup.execute((Path(__file__).parent.parent / "schema.sql").read_text())
receiver = Receiver(secrets=[os.environ["LEDGERHOOK_SECRET"]], on_event=book)
server = ThreadingHTTPServer(("", PORT), Hooks)
print(f"Listening on {PORT}", flush=True)
server.serve_forever()
