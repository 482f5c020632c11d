CREATE TABLE events_topic (value String)
ENGINE = Kafka('localhost:9092', 'xrpl.mainnet.events', 'clickhouse', 'RawBLOB');

CREATE MATERIALIZED VIEW events_load TO events AS
WITH if(startsWith(value, '\0'), substring(value, 6), value) AS json
SELECT JSONExtractString(json, 'network') AS network, JSONExtractString(json, 'event_id') AS event_id,
  JSONExtractString(json, 'event_type') AS event_type, JSONExtractUInt(json, 'ledger_index') AS ledger_index,
  JSONExtractUInt(json, 'position') AS position, JSONExtractRaw(json, 'payload')::JSON AS payload,
  JSONExtract(json, 'accounts', 'Array(String)') AS accounts,
  parseDateTimeBestEffort(JSONExtractString(json, 'timestamp'), 'UTC') AS timestamp,
  fromUnixTimestamp64Milli(JSONExtractInt(json, 'detected_at'), 'UTC') AS detected_at
FROM events_topic;
