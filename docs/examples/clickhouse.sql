CREATE TABLE events (
  network LowCardinality(String), event_id String, event_type LowCardinality(String), ledger_index UInt32,
  position UInt32, timestamp DateTime('UTC'), payload JSON, accounts Array(String), detected_at DateTime64(3, 'UTC')
) ENGINE = ReplacingMergeTree ORDER BY (network, ledger_index, position);

CREATE TABLE events_topic (
  event_id String, event_type String, ledger_index UInt32, timestamp String, network String,
  payload JSON, accounts Array(String), position UInt32, detected_at Int64
) ENGINE = Kafka('localhost:9092', 'xrpl.mainnet.events', 'clickhouse', 'JSONEachRow');

CREATE MATERIALIZED VIEW events_load TO events AS
SELECT network, event_id, event_type, ledger_index, position, payload, accounts,
  parseDateTimeBestEffort(timestamp, 'UTC') AS timestamp, fromUnixTimestamp64Milli(detected_at, 'UTC') AS detected_at
FROM events_topic;
