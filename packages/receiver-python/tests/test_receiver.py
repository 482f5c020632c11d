"""The package verifies what the service signs, and answers so that nothing is lost.

Run from the repository's root: python3 -m unittest discover packages/receiver-python/tests
"""

import functools
import hashlib
import hmac
import json
import logging
import threading
import unittest
import warnings
from pathlib import Path

from ledgerhook_receiver import (
    EVENT_TYPES,
    Deduplicator,
    MemoryStore,
    ParseError,
    Receiver,
    parse,
    parse_all,
    refusal_of,
    verify,
)

SCHEMAS = Path(__file__).resolve().parents[3] / "schemas"
SECRET = "whsec_dGhlIHdob2xlIHN0cmluZyBpcyB0aGUga2V5IQ=="
OTHER = "whsec_YW5vdGhlciBzZWNyZXQsIG5vdCB0aGUgcmlnaHQ="


def schema(path):
    return json.loads((SCHEMAS / path).read_text(encoding="utf-8"))


VECTORS = schema("signature-vectors.json")["vectors"]
EVENT = schema("envelope.schema.json")["examples"][0]


def signed(content, secret=SECRET):
    body = content.encode() if isinstance(content, str) else json.dumps(content).encode()
    signature = "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    return {"X-Service-Signature": signature, "X-Service-Delivery-Id": "dlv_1"}, body


class Signatures(unittest.TestCase):
    def test_decides_every_vector_rightly(self):
        for vector in VECTORS:
            with self.subTest(vector["name"]):
                given = (vector["headers"], vector["body"].encode(), [vector["secret"]])
                clock = {"now": lambda vector=vector: vector["now"]}
                self.assertEqual(verify(*given, schemes=[vector["scheme"]], **clock), vector["accepted"])
                self.assertEqual(verify(*given, **clock), vector["accepted"])

    def test_accepts_one_of_several_secrets(self):
        self.assertTrue(verify(*signed(EVENT), [OTHER, SECRET]))
        self.assertFalse(verify(*signed(EVENT), [OTHER]))

    def test_demands_the_signed_time_where_only_the_standard_scheme_is_accepted(self):
        self.assertEqual(refusal_of(*signed(EVENT), [SECRET], schemes=["standard"]), "no_signature")

    def test_says_why_it_refuses(self):
        reasons = {
            "standard: an old timestamp": "too_old",
            "standard: a timestamp too far ahead": "too_new",
            "standard: a wrong secret": "no_match",
            "standard: no webhook-id": "malformed",
            "service: no header": "no_signature",
        }
        for vector in VECTORS:
            if vector["name"] in reasons:
                refusal = refusal_of(
                    vector["headers"], vector["body"].encode(), [vector["secret"]], now=lambda: vector["now"]
                )
                self.assertEqual(refusal, reasons.pop(vector["name"]))
        self.assertEqual(reasons, {})

    def test_raises_for_options_that_cannot_be_meant(self):
        for secrets, schemes in [
            ([], ["service"]),
            ([""], ["service"]),
            ([None], ["service"]),
            (SECRET, ["service"]),
            ([SECRET], []),
            ([SECRET], ["sha1"]),
            ([SECRET], "service"),
            (["plain"], ["standard"]),
            (["whsec_AAAAA"], ["standard"]),
            (["whsec_AA-_"], ["standard"]),
        ]:
            with self.subTest((secrets, schemes)), self.assertRaises(ValueError):
                verify(*signed(EVENT), secrets, schemes=schemes)
        with self.assertRaises(TypeError):
            verify({}, "text", [SECRET])

    def test_raises_for_a_secret_that_the_service_cannot_have_and_names_it(self):
        ends = ["\n", "\r\n", "\t", " ", " and more", "ü"]
        named = r"^secrets\[1\] must be visible ASCII without blanks or newlines"
        for wrong in [*(SECRET + end for end in ends), f" {SECRET}", f"\ufeff{SECRET}", "\n"]:
            with self.subTest(wrong), self.assertRaisesRegex(ValueError, named):
                verify(*signed(EVENT), [SECRET, wrong])
            with self.subTest(wrong), self.assertRaisesRegex(ValueError, named):
                Receiver(secrets=[SECRET, wrong], on_event=lambda event, delivery_id: None)


class Parsing(unittest.TestCase):
    def test_takes_every_event_type_as_it_is(self):
        self.assertEqual(len(EVENT_TYPES), 23)
        for event_type in EVENT_TYPES:
            for payload in schema(f"payloads/{event_type}.schema.json")["examples"]:
                sent = {**EVENT, "event_type": event_type, "payload": payload}
                self.assertEqual(parse(json.dumps(sent).encode()), sent)

    def test_takes_types_and_fields_of_a_newer_service(self):
        sent = {**EVENT, "event_type": "channel.created", "added": 1}
        self.assertEqual(
            parse(json.dumps(sent)), {**sent, "event_type": "unknown", "sent_type": "channel.created"}
        )

    def test_refuses_what_is_no_event_and_names_the_field(self):
        for body, complaint in [
            ("{", "not JSON"),
            ("[" * 100_000, "not JSON"),
            (b'"\xff"', "UTF-8"),
            ("null", "not an object"),
            (json.dumps({**EVENT, "event_type": 1}), "event_type must be a string"),
            (json.dumps({**EVENT, "ledger_index": True}), "ledger_index must be a positive integer"),
            (json.dumps({**EVENT, "payload": []}), "payload must be an object"),
        ]:
            with self.subTest(complaint), self.assertRaisesRegex(ParseError, complaint):
                parse(body)

    def test_takes_a_batch(self):
        batch = [{"delivery_id": one, "event": EVENT} for one in ("dlv_1", "dlv_2")]
        self.assertEqual(parse_all(json.dumps(batch)), [(EVENT, "dlv_1"), (EVENT, "dlv_2")])
        with self.assertRaisesRegex(ParseError, "at most 500"):
            parse_all(json.dumps(batch[:1] * 501))
        with self.assertRaisesRegex(ParseError, r"\[0\]: the field delivery_id"):
            parse_all('[{"event": {}}]')


class Receiving(unittest.TestCase):
    def setUp(self):
        logging.disable(logging.CRITICAL)
        self.addCleanup(logging.disable, logging.NOTSET)
        self.handled = []

    def receiver(self, **options):
        given = {"secrets": [SECRET], "on_event": lambda event, _id: self.handled.append(event["event_id"])}
        return Receiver(**{**given, **options})

    def test_hands_over_each_event_once(self):
        receiver = self.receiver()
        other = {**EVENT, "event_id": "other"}
        statuses = [receiver.receive(*signed(one)).status for one in (EVENT, EVENT, other)]
        self.assertEqual(statuses, [200, 200, 200])
        self.assertEqual(self.handled, [EVENT["event_id"], "other"])

    def test_answers_500_when_the_handler_fails_so_that_the_event_comes_again(self):
        down = [RuntimeError("database is down")]

        def on_event(_event, _id):
            if down:
                raise down.pop()

        receiver = self.receiver(on_event=on_event)
        self.assertEqual([receiver.receive(*signed(EVENT)).status for _ in range(2)], [500, 200])

    def test_refuses_a_handler_whose_call_would_run_nothing(self):
        async def coroutine(_event, _id):
            self.handled.append("never")

        def generator(_event, _id):
            yield self.handled.append("never")

        async def both(_event, _id):
            yield self.handled.append("never")

        class Handler:
            async def __call__(self, _event, _id):
                raise AssertionError

            async def method(self, _event, _id):
                raise AssertionError

        deferred = [coroutine, generator, both, functools.partial(coroutine), Handler(), Handler().method]
        for on_event in deferred:
            with self.subTest(on_event), self.assertRaisesRegex(TypeError, "^on_event must be a plain function"):
                self.receiver(on_event=on_event)

    def test_answers_500_when_a_result_has_not_been_run(self):
        async def coroutine(*_given):
            return False

        def store_with(name):
            store = MemoryStore()
            setattr(store, name, coroutine)
            return store

        for options in [
            {"on_event": lambda event, delivery_id: coroutine()},
            {"on_event": lambda event, delivery_id: (one for one in [event])},
            {"store": store_with("has")},
            {"store": store_with("add")},
        ]:
            receiver = self.receiver(**options)
            with self.subTest(options), warnings.catch_warnings():
                warnings.simplefilter("error")
                self.assertEqual([receiver.receive(*signed(EVENT)).status for _ in range(2)], [500, 500])

    def test_refuses_without_calling_the_handler(self):
        receiver = self.receiver(max_body_bytes=2000)
        for status, request in [
            (401, signed(EVENT, OTHER)),
            (400, signed("{}")),
            (413, signed("x" * 2001)),
        ]:
            self.assertEqual(receiver.receive(*request).status, status)
        self.assertEqual(self.handled, [])

    def test_names_the_events_of_a_batch_that_failed(self):
        def on_event(event, _id):
            if event["event_id"] == "b":
                raise RuntimeError

        batch = [{"delivery_id": f"dlv_{one}", "event": {**EVENT, "event_id": one}} for one in "abc"]
        answer = self.receiver(on_event=on_event).receive(*signed(batch))
        self.assertEqual((answer.status, json.loads(answer.body)), (207, {"failed": ["dlv_b"]}))


class Duplicates(unittest.TestCase):
    def test_lets_a_waiting_copy_take_over_when_the_first_fails(self):
        once = Deduplicator().once
        started, finish, results = threading.Event(), threading.Event(), []

        def failing():
            started.set()
            finish.wait(10)
            raise RuntimeError

        def first():
            try:
                once(EVENT, failing)
            except RuntimeError:
                results.append("failed")

        threads = [threading.Thread(target=first)]
        threads[0].start()
        started.wait(10)
        for _ in range(2):
            threads.append(threading.Thread(target=lambda: results.append(once(EVENT, lambda: None))))
            threads[-1].start()
        finish.set()
        for thread in threads:
            thread.join(10)
        self.assertCountEqual(results, ["failed", True, False])

    def test_remembers_only_the_newest_ids(self):
        store = MemoryStore(2)
        for key in ("a", "b", "a", "c"):
            store.add(key)
        self.assertEqual([store.has(key) for key in "abc"], [True, False, True])


if __name__ == "__main__":
    unittest.main()
