-- When the identity server of an account confirmed the person last. An account without a row was confirmed when it changed last.
CREATE TABLE confirmation (
  account       BIGINT   NOT NULL PRIMARY KEY,
  -- 0 if the server has refused since.
  confirmed_at  BIGINT   NOT NULL,
  -- When the server was asked last, with or without an answer.
  asked_at      BIGINT   NOT NULL,
  -- Encrypted with a key that only the configuration has; empty if there is none.
  refresh_token LONGTEXT NOT NULL
) ${table_options};

-- A hash of the session at the identity server in which a session began, so that the server can end it; empty if it has none.
ALTER TABLE session ADD COLUMN server_session VARCHAR(64) NOT NULL DEFAULT '';
