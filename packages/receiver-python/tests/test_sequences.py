"""The package says where an event stands in its network, sorts events, and finds missing positions."""

import json
import unittest
from pathlib import Path

from ledgerhook_receiver import ParseError, gaps, parse, parse_all, sequence_of, sort_by_sequence
from test_formats import ATTRIBUTES
from test_receiver import EVENT

PACKAGES = Path(__file__).resolve().parents[2]
VECTORS = json.loads((PACKAGES / "sequence-vectors.json").read_text(encoding="utf-8"))
SEQUENCE = "0094084608.000007"
BODY, PAYLOAD = json.dumps(EVENT), json.dumps(EVENT["payload"])


class SequenceOfAnEvent(unittest.TestCase):
    def test_is_read_from_each_header(self):
        for body, headers in [
            (BODY, {"X-Service-Sequence": SEQUENCE}),
            (PAYLOAD, {**ATTRIBUTES, "ce-sequence": SEQUENCE}),
            (PAYLOAD, {**ATTRIBUTES, "X-Service-Sequence": SEQUENCE}),
        ]:
            with self.subTest(headers):
                self.assertEqual(parse(body, headers), {**EVENT, "sequence": SEQUENCE})
                self.assertEqual(parse_all(body, "dlv_1", headers), [({**EVENT, "sequence": SEQUENCE}, "dlv_1")])

    def test_is_read_from_the_items_of_a_batch_in_both_formats(self):
        attributes = {name[3:]: value for name, value in ATTRIBUTES.items()}
        for item in [
            {"delivery_id": "dlv_1", "sequence": SEQUENCE, "event": EVENT},
            {**attributes, "deliveryid": "dlv_1", "sequence": SEQUENCE, "data": EVENT["payload"]},
        ]:
            # A header, which is not signed, never replaces it.
            received = parse_all(json.dumps([item]), None, {"X-Service-Sequence": "0094084608.000001"})
            self.assertEqual(received, [({**EVENT, "sequence": SEQUENCE}, "dlv_1")])

    def test_is_absent_if_an_older_service_does_not_send_it(self):
        self.assertNotIn("sequence", parse(BODY, {}))
        self.assertNotIn("sequence", parse_all(json.dumps([{"delivery_id": "d", "event": EVENT}]))[0].event)

    def test_is_refused_if_it_is_malformed_or_of_another_ledger_than_the_event(self):
        complaint = r"The sequence of xrpl:\S+ must be 0094084608, a full stop and six digits"
        for sequence in ["", "7", "0094084609.000007", f"{SEQUENCE}\n"]:
            with self.subTest(sequence), self.assertRaisesRegex(ParseError, complaint):
                parse(BODY, {"X-Service-Sequence": sequence})
            with self.subTest(sequence), self.assertRaisesRegex(ParseError, complaint):
                parse(PAYLOAD, {**ATTRIBUTES, "ce-sequence": sequence})
        for sequence in [7, {}, "0094084609.000007"]:
            with self.subTest(sequence), self.assertRaisesRegex(ParseError, complaint):
                parse_all(json.dumps([{"delivery_id": "d", "sequence": sequence, "event": EVENT}]))


class Sequences(unittest.TestCase):
    def test_are_made_from_the_ledger_and_the_position(self):
        for vector in VECTORS["sequences"]:
            self.assertEqual(sequence_of(vector["ledger_index"], vector["position"]), vector["sequence"])
        for ledger_index, position in [(1, -1), (1, 1_000_000), (10**10, 0), (1.5, 0)]:
            with self.subTest((ledger_index, position)), self.assertRaises(ParseError):
                sequence_of(ledger_index, position)

    def test_sort_a_copy_with_events_of_an_older_service_first_in_their_ledger(self):
        older, a, b, again, c, d = VECTORS["sorted"]
        given = [d, b, a, c, again, older]
        self.assertEqual(sort_by_sequence(given), VECTORS["sorted"])
        self.assertEqual(given, [d, b, a, c, again, older])


class Gaps(unittest.TestCase):
    def test_are_those_of_every_vector(self):
        for vector in VECTORS["gaps"]:
            with self.subTest(vector["name"]):
                found = gaps(
                    vector["sequences"],
                    from_ledger=vector.get("from_ledger", 10),
                    to_ledger=vector.get("to_ledger", 20),
                    event_counts={int(index): count for index, count in vector.get("event_counts", {}).items()},
                )
                self.assertEqual([gap._asdict() for gap in found], vector["gaps"])

    def test_are_not_looked_for_if_a_text_is_no_sequence(self):
        for text in VECTORS["malformed"]:
            with self.subTest(text), self.assertRaisesRegex(ParseError, "is not a sequence"):
                gaps([text], from_ledger=1, to_ledger=2)


if __name__ == "__main__":
    unittest.main()
