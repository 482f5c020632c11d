-- The books of both examples. They run this file at each start; it changes nothing that is there.

-- Whom to credit. 0 is a tag like any other.
CREATE TABLE IF NOT EXISTS customers (destination_tag bigint PRIMARY KEY, name text NOT NULL);

-- What is credited: 'XRP' (in drops), 'USD.rIssuer…' or the id of an MPT. Anything else stays in suspense.
CREATE TABLE IF NOT EXISTS accepted_assets (asset text PRIMARY KEY);

CREATE TABLE IF NOT EXISTS deposits (
  network text NOT NULL,
  event_id text NOT NULL,
  event_type text NOT NULL,
  tx_hash text NOT NULL,
  ledger_index bigint NOT NULL,
  closed_at timestamptz NOT NULL,
  asset text NOT NULL,
  amount numeric, -- null: the event does not say it
  destination_tag bigint, -- null: the payer named none
  customer bigint REFERENCES customers, -- null: in suspense
  PRIMARY KEY (network, event_id)
);

CREATE TABLE IF NOT EXISTS balances (
  customer bigint REFERENCES customers,
  asset text,
  amount numeric NOT NULL,
  PRIMARY KEY (customer, asset)
);

-- The changes of the account itself, to compare with the ledger. Several events of a transaction name the same change.
CREATE TABLE IF NOT EXISTS account_changes (
  network text,
  tx_hash text,
  account text,
  asset text,
  change numeric NOT NULL,
  PRIMARY KEY (network, tx_hash, account, asset)
);

CREATE OR REPLACE VIEW suspense AS SELECT * FROM deposits WHERE customer IS NULL;

CREATE OR REPLACE VIEW account_balances AS
  SELECT network, account, asset, sum(change) AS amount FROM account_changes GROUP BY network, account, asset;

-- Books a deposit and credits its customer. Does nothing if the event is booked already.
CREATE OR REPLACE FUNCTION book_deposit(
  network text, event_id text, event_type text, tx_hash text, ledger_index bigint, closed_at timestamptz,
  asset text, amount numeric, destination_tag bigint
) RETURNS void LANGUAGE sql AS $$
  WITH booked AS (
    INSERT INTO deposits
    SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, (
      SELECT c.destination_tag FROM customers c JOIN accepted_assets a ON a.asset = $7
      WHERE c.destination_tag = $9 AND $8 > 0
    )
    ON CONFLICT DO NOTHING
    RETURNING customer, asset, amount
  )
  INSERT INTO balances
  SELECT customer, asset, amount FROM booked WHERE customer IS NOT NULL
  ON CONFLICT (customer, asset) DO UPDATE SET amount = balances.amount + excluded.amount
$$;
