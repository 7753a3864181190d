-- Answers to requests with an Idempotency-Key, so that a request which is repeated acts once. An answer can only be read with the key.
CREATE TABLE answered_request (
  -- a hash of the key and the actor
  ref     VARCHAR(64) NOT NULL PRIMARY KEY,
  -- a hash of the request, keyed with the key
  request VARCHAR(64) NOT NULL,
  at      BIGINT      NOT NULL,
  -- the first row of the audit log that it wrote
  command BIGINT      NOT NULL,
  -- encrypted with the key; empty until it is known
  answer  LONGBLOB    NOT NULL
) ${table_options};

CREATE INDEX answered_request_by_time ON answered_request (at);

-- Texts compare as bytes. On servers they did without spaces at their end, so "ann " was the account of "ann". SQLite has always
-- compared bytes. A CHAR column loses spaces at its end.
${on_servers} ALTER TABLE account CONVERT TO CHARACTER SET utf8mb4 COLLATE ${byte_order};
${on_servers} ALTER TABLE adjustment CONVERT TO CHARACTER SET utf8mb4 COLLATE ${byte_order};
${on_servers} ALTER TABLE alert CONVERT TO CHARACTER SET utf8mb4 COLLATE ${byte_order};
${on_servers} ALTER TABLE alert_rule CONVERT TO CHARACTER SET utf8mb4 COLLATE ${byte_order};
${on_servers} ALTER TABLE alert_silence CONVERT TO CHARACTER SET utf8mb4 COLLATE ${byte_order};
${on_servers} ALTER TABLE api_token MODIFY COLUMN hash VARCHAR(64) NOT NULL, CONVERT TO CHARACTER SET utf8mb4 COLLATE ${byte_order};
${on_servers} ALTER TABLE approval CONVERT TO CHARACTER SET utf8mb4 COLLATE ${byte_order};
${on_servers} ALTER TABLE approval_settings CONVERT TO CHARACTER SET utf8mb4 COLLATE ${byte_order};
${on_servers} ALTER TABLE audit_checkpoint CONVERT TO CHARACTER SET utf8mb4 COLLATE ${byte_order};
${on_servers} ALTER TABLE audit_head CONVERT TO CHARACTER SET utf8mb4 COLLATE ${byte_order};
${on_servers} ALTER TABLE audit_key CONVERT TO CHARACTER SET utf8mb4 COLLATE ${byte_order};
${on_servers} ALTER TABLE audit_node CONVERT TO CHARACTER SET utf8mb4 COLLATE ${byte_order};
${on_servers} ALTER TABLE audit_segment CONVERT TO CHARACTER SET utf8mb4 COLLATE ${byte_order};
${on_servers} ALTER TABLE ceremony MODIFY COLUMN hash VARCHAR(64) NOT NULL, CONVERT TO CHARACTER SET utf8mb4 COLLATE ${byte_order};
${on_servers} ALTER TABLE change_author CONVERT TO CHARACTER SET utf8mb4 COLLATE ${byte_order};
${on_servers} ALTER TABLE command CONVERT TO CHARACTER SET utf8mb4 COLLATE ${byte_order};
${on_servers} ALTER TABLE counter CONVERT TO CHARACTER SET utf8mb4 COLLATE ${byte_order};
${on_servers} ALTER TABLE durable_restore CONVERT TO CHARACTER SET utf8mb4 COLLATE ${byte_order};
${on_servers} ALTER TABLE durable_restored CONVERT TO CHARACTER SET utf8mb4 COLLATE ${byte_order};
${on_servers} ALTER TABLE durable_sum CONVERT TO CHARACTER SET utf8mb4 COLLATE ${byte_order};
${on_servers} ALTER TABLE emergency CONVERT TO CHARACTER SET utf8mb4 COLLATE ${byte_order};
${on_servers} ALTER TABLE erasure CONVERT TO CHARACTER SET utf8mb4 COLLATE ${byte_order};
${on_servers} ALTER TABLE erasure_answer CONVERT TO CHARACTER SET utf8mb4 COLLATE ${byte_order};
${on_servers} ALTER TABLE erasure_key CONVERT TO CHARACTER SET utf8mb4 COLLATE ${byte_order};
${on_servers} ALTER TABLE leadership CONVERT TO CHARACTER SET utf8mb4 COLLATE ${byte_order};
${on_servers} ALTER TABLE node_report CONVERT TO CHARACTER SET utf8mb4 COLLATE ${byte_order};
${on_servers} ALTER TABLE one_time_link MODIFY COLUMN hash VARCHAR(64) NOT NULL, CONVERT TO CHARACTER SET utf8mb4 COLLATE ${byte_order};
${on_servers} ALTER TABLE passkey MODIFY COLUMN credential_hash VARCHAR(64) NOT NULL, CONVERT TO CHARACTER SET utf8mb4 COLLATE ${byte_order};
${on_servers} ALTER TABLE passkey_user CONVERT TO CHARACTER SET utf8mb4 COLLATE ${byte_order};
${on_servers} ALTER TABLE rollout CONVERT TO CHARACTER SET utf8mb4 COLLATE ${byte_order};
${on_servers} ALTER TABLE rule_change CONVERT TO CHARACTER SET utf8mb4 COLLATE ${byte_order};
${on_servers} ALTER TABLE rule_version MODIFY COLUMN digest VARCHAR(64) NOT NULL, CONVERT TO CHARACTER SET utf8mb4 COLLATE ${byte_order};
${on_servers} ALTER TABLE series_block CONVERT TO CHARACTER SET utf8mb4 COLLATE ${byte_order};
${on_servers} ALTER TABLE session MODIFY COLUMN hash VARCHAR(64) NOT NULL, CONVERT TO CHARACTER SET utf8mb4 COLLATE ${byte_order};
${on_servers} ALTER TABLE settings_proposal CONVERT TO CHARACTER SET utf8mb4 COLLATE ${byte_order};
