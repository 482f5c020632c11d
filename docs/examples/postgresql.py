"""Loads the events and ledgers of a network into PostgreSQL, each exactly once, until it is stopped.

pip install confluent-kafka "psycopg[binary]"
KAFKA_BROKERS=localhost:9092 DATABASE_URL=postgresql:///warehouse python postgresql.py
"""
import os

import psycopg
from confluent_kafka import Consumer, TopicPartition

NETWORK = os.environ.get("NETWORK", "mainnet")
PREFIX = f"{os.environ.get('KAFKA_TOPIC_PREFIX', '')}xrpl.{NETWORK}."
TOPICS = [PREFIX + name for name in ["events", "ledgers", "history.events", "history.ledgers"]]
BATCH_RECORDS = 10_000

TABLES = """
CREATE TABLE IF NOT EXISTS events (
  network text, event_id text, ledger_index bigint NOT NULL, position int NOT NULL, event_type text NOT NULL,
  closed_at timestamptz NOT NULL, payload jsonb NOT NULL, PRIMARY KEY (network, event_id)
);
CREATE TABLE IF NOT EXISTS ledgers (
  network text, ledger_index bigint, ledger_hash text NOT NULL, parent_hash text NOT NULL,
  closed_at timestamptz NOT NULL, event_count int NOT NULL, skipped text, PRIMARY KEY (network, ledger_index)
);
CREATE TABLE IF NOT EXISTS offsets (topic text PRIMARY KEY, next_offset bigint NOT NULL);
CREATE TEMP TABLE loaded (network text, value jsonb) ON COMMIT DELETE ROWS;
"""
EVENTS = """
INSERT INTO events
SELECT network, value->>'event_id', (value->>'ledger_index')::bigint, (value->>'position')::int,
  value->>'event_type', (value->>'timestamp')::timestamptz, value->'payload'
FROM loaded WHERE value ? 'event_id' ON CONFLICT DO NOTHING
"""
LEDGERS = """
INSERT INTO ledgers
SELECT network, (value->>'ledger_index')::bigint, value->>'ledger_hash', value->>'parent_hash',
  (value->>'close_time')::timestamptz, (value->>'event_count')::int, value->>'skipped'
FROM loaded WHERE value ? 'ledger_hash' ON CONFLICT DO NOTHING
"""
MOVE = "UPDATE offsets SET next_offset = %s WHERE topic = %s AND next_offset = %s"


def load(database, messages, offsets):
    """One transaction: the records, and the offset after them. Returns the offsets to continue at."""
    moved = offsets | {message.topic(): message.offset() + 1 for message in messages}
    with database.transaction(), database.cursor() as cursor:
        with cursor.copy("COPY loaded FROM STDIN") as copy:
            for message in messages:
                value = message.value()
                json = value[5:] if value[:1] == b"\0" else value  # the prefix of a schema registry
                copy.write_row([message.key().decode(), json.decode()])
        cursor.execute(EVENTS)
        cursor.execute(LEDGERS)
        for topic, offset in moved.items():
            if cursor.execute(MOVE, [offset, topic, offsets[topic]]).rowcount == 0:
                raise SystemExit(f"{topic}: another loader writes to this database.")
    return moved


def main():
    database = psycopg.connect(os.environ.get("DATABASE_URL", "dbname=warehouse"), autocommit=True)
    database.execute(TABLES)
    for topic in TOPICS:
        database.execute("INSERT INTO offsets VALUES (%s, 0) ON CONFLICT DO NOTHING", [topic])
    offsets = dict(database.execute("SELECT * FROM offsets WHERE topic = ANY(%s)", [TOPICS]).fetchall())
    consumer = Consumer({
        "bootstrap.servers": os.environ.get("KAFKA_BROKERS", "localhost:9092"),
        "group.id": "warehouse",
        "isolation.level": "read_committed",
        "auto.offset.reset": "earliest",
        "enable.auto.commit": False,
    })
    consumer.assign([TopicPartition(topic, 0, offset) for topic, offset in offsets.items()])
    while True:
        messages = consumer.consume(BATCH_RECORDS, timeout=1.0)
        for message in messages:
            if message.error():
                raise SystemExit(message.error())
        if messages:
            offsets = load(database, messages, offsets)


main()
