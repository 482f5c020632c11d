"""The package takes compressed requests and CloudEvents as the service makes them, and refuses bombs.

The tests of zstd run where this Python has it (3.14, or with backports.zstd).
"""

import gzip
import json
import unittest
from unittest import mock

from ledgerhook_receiver import (
    BodyError,
    ParseError,
    Receiver,
    compression,
    decompress,
    parse,
    parse_all,
    verify,
)
from test_receiver import EVENT, SECRET, signed

MAX = 5000
ZSTD = compression._zstd
needs_zstd = unittest.skipIf(ZSTD is None, "this Python has no zstd")

ATTRIBUTES = {
    "ce-specversion": "1.0",
    "ce-id": EVENT["event_id"],
    "ce-source": f"urn:ledgerhook:{EVENT['network']}",
    "ce-type": EVENT["event_type"],
    "ce-subject": EVENT["payload"]["tx_hash"],
    "ce-time": EVENT["timestamp"],
    "ce-dataschema": f"urn:ledgerhook:schemas:v1:payload:{EVENT['event_type']}",
    "ce-ledgerindex": str(EVENT["ledger_index"]),
    "ce-network": EVENT["network"],
    "ce-webhookid": EVENT["webhook_id"],
}


def request(content=EVENT, encoding=None, attributes=None):
    headers, body = signed(content)
    headers = {**headers, **(attributes or {})}
    if encoding == "gzip":
        return {**headers, "Content-Encoding": "gzip"}, gzip.compress(body)
    if encoding == "zstd":
        return {**headers, "Content-Encoding": "zstd"}, ZSTD.compress(body)
    return headers, body


class Formats(unittest.TestCase):
    def setUp(self):
        self.handled = []
        self.receiver = Receiver(
            secrets=[SECRET], on_event=lambda event, _id: self.handled.append(event), max_body_bytes=MAX
        )

    def receive(self, headers, body):
        return self.receiver.receive(headers, body).status

    def test_give_the_same_event_in_both_formats_with_every_compression(self):
        for encoding in (None, "gzip", *([] if ZSTD is None else ["zstd"])):
            for content, attributes in ((EVENT, None), (EVENT["payload"], ATTRIBUTES)):
                with self.subTest((encoding, attributes is not None)):
                    self.setUp()
                    headers, body = request(content, encoding, attributes)
                    self.assertEqual(self.receive(headers, body), 200)
                    self.assertEqual(self.handled, [EVENT])
                    plain = decompress(headers, body)
                    self.assertTrue(verify(headers, plain, [SECRET]))
                    self.assertEqual(parse(plain, headers), EVENT)

    def test_take_a_body_that_the_server_has_decompressed(self):
        for encoding in ("gzip", " GZIP ", "zstd", "identity"):
            headers, body = request()
            self.assertEqual(self.receive({**headers, "Content-Encoding": encoding}, body), 200)

    def test_refuse_what_is_too_large_broken_or_of_another_encoding(self):
        headers, body = request(encoding="gzip")
        _, other = request({**EVENT, "event_id": "x"}, "gzip")
        for status, encoding, sent in [
            (413, "gzip", b"x" * (MAX + 1)),
            (413, "gzip", gzip.compress(b" " * (MAX + 1))),
            (415, "br", body),
            (415, "gzip, zstd", body),
            (400, "gzip", body[:50]),
            (400, "gzip", body[:10] + b"\xff" * 10),
            (401, "gzip", other),
        ]:
            with self.subTest((status, encoding)):
                self.assertEqual(self.receive({**headers, "Content-Encoding": encoding}, sent), status)
        self.assertEqual(self.handled, [])

    def test_never_decompress_more_than_the_limit(self):
        with self.assertRaisesRegex(BodyError, "larger than 4194304 bytes"):
            decompress({"content-encoding": "gzip"}, gzip.compress(bytes(64 * 1024 * 1024)))

    @needs_zstd
    def test_bound_zstd(self):
        headers = {"content-encoding": "zstd"}
        with self.assertRaisesRegex(BodyError, "larger than 4194304 bytes"):
            decompress(headers, ZSTD.compress(bytes(64 * 1024 * 1024)))
        # Magic number, a frame header with windowLog 27 (128 MiB) or 23, and an empty last block.
        with self.assertRaisesRegex(BodyError, "not valid zstd"):
            decompress(headers, bytes.fromhex("28b52ffd0088010000"))
        self.assertEqual(decompress(headers, bytes.fromhex("28b52ffd0068010000")), b"")
        with self.assertRaisesRegex(BodyError, "ends too early"):
            decompress(headers, ZSTD.compress(b"{}")[:-1])

    def test_say_what_to_do_without_zstd(self):
        with mock.patch.object(compression, "_zstd", None):
            answer = self.receiver.receive({"Content-Encoding": "zstd"}, bytes.fromhex("28b52ffd0068010000"))
        self.assertEqual(answer.status, 415)
        self.assertIn("install backports.zstd", json.loads(answer.body)["error"])


class CloudEvents(unittest.TestCase):
    def test_name_the_header_that_is_wrong(self):
        for change, complaint in [
            ({"ce-specversion": "0.3"}, "ce-specversion must be 1.0"),
            ({"ce-id": ""}, "ce-id is missing"),
            ({"ce-type": ""}, "ce-type is missing"),
            ({"ce-ledgerindex": "0x10"}, "ce-ledgerindex must be a positive integer"),
            ({"ce-id": "xrpl:1:AB:payment.xrp"}, "ce-id must contain the tx_hash"),
        ]:
            with self.subTest(complaint), self.assertRaisesRegex(ParseError, complaint):
                parse(json.dumps(EVENT["payload"]), {**ATTRIBUTES, **change})

    def test_of_a_newer_service_have_the_type_unknown(self):
        event = parse(json.dumps(EVENT["payload"]), {**ATTRIBUTES, "ce-type": "channel.created"})
        self.assertEqual((event["event_type"], event["sent_type"]), ("unknown", "channel.created"))

    def test_never_replace_an_envelope_that_was_signed(self):
        forged = {**ATTRIBUTES, "ce-type": "check.cashed", "ce-network": "other"}
        self.assertEqual(parse(json.dumps(EVENT), forged), EVENT)

    def test_of_a_batch_name_the_item_and_the_attribute_that_is_wrong(self):
        attributes = {name[3:]: value for name, value in ATTRIBUTES.items()}
        item = {**attributes, "deliveryid": "dlv_1", "data": EVENT["payload"]}
        self.assertEqual(parse_all(json.dumps([item])), [(EVENT, "dlv_1")])
        for change, complaint in [
            ({"specversion": "0.3"}, r"\[0\]: the attribute specversion must be 1.0"),
            ({"deliveryid": None}, r"\[0\]: the field deliveryid must be a string"),
            ({"type": 1}, r"\[0\]: the attribute type is missing, empty or not a string"),
            ({"ledgerindex": "1e3"}, "ledgerindex must be a positive integer"),
            ({"id": "xrpl:1:AB:payment.xrp"}, "id must contain the tx_hash"),
            ({"data": []}, r"\[0\]: the field data must be an object"),
        ]:
            with self.subTest(complaint), self.assertRaisesRegex(ParseError, complaint):
                parse_all(json.dumps([{**item, **change}]))


if __name__ == "__main__":
    unittest.main()
