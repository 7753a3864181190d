-- Passkeys. They hold public keys only.

-- The name of an account for authenticators. It is random, so a passkey tells nobody whose it is.
CREATE TABLE passkey_user (
  account BIGINT       NOT NULL PRIMARY KEY,
  handle  VARCHAR(100) NOT NULL
) ${table_options};

CREATE UNIQUE INDEX passkey_user_by_handle ON passkey_user (handle);

CREATE TABLE passkey (
  id              BIGINT       NOT NULL PRIMARY KEY,
  account         BIGINT       NOT NULL,
  -- The id that the authenticator gave it has up to 1023 bytes, so it is found by its hash.
  credential_hash CHAR(64)     NOT NULL,
  credential      LONGTEXT     NOT NULL,
  public_key      LONGTEXT     NOT NULL,
  attestation     LONGTEXT     NOT NULL,
  -- Rises with each use; 0 if the authenticator does not count.
  signature_count BIGINT       NOT NULL,
  transports      VARCHAR(200) NOT NULL,
  backup_eligible BIGINT       NOT NULL,
  backed_up       BIGINT       NOT NULL,
  label           VARCHAR(100) NOT NULL,
  created_at      BIGINT       NOT NULL,
  -- 0 if it was never used.
  used_at         BIGINT       NOT NULL
) ${table_options};

CREATE UNIQUE INDEX passkey_by_credential ON passkey (credential_hash);
CREATE INDEX passkey_by_account ON passkey (account);

INSERT INTO counter (name, value) VALUES ('passkey', 0);
