-- Accounts, and what they sign in with. Secrets are stored as hashes.

CREATE TABLE account (
  id            BIGINT       NOT NULL PRIMARY KEY,
  revision      BIGINT       NOT NULL,
  name          VARCHAR(100) NOT NULL,
  display_name  VARCHAR(200) NOT NULL,
  email         VARCHAR(200) NOT NULL,
  -- The person behind it. Several accounts may have the same.
  identity      VARCHAR(200) NOT NULL,
  -- local, or the name of the identity server that the account comes from.
  origin        VARCHAR(60)  NOT NULL,
  -- The name of the account at the identity server.
  subject       VARCHAR(300) NOT NULL,
  -- Empty if the account has no password.
  password      VARCHAR(300) NOT NULL,
  grants        LONGTEXT     NOT NULL,
  -- 0 while the account can be used.
  disabled_at   BIGINT       NOT NULL,
  created_at    BIGINT       NOT NULL,
  changed_at    BIGINT       NOT NULL
) ${table_options};

CREATE UNIQUE INDEX account_by_name ON account (name);
CREATE INDEX account_by_subject ON account (origin, subject);

-- Signed-in people. The id of a session is in the cookie alone; this has its hash.
CREATE TABLE session (
  hash       CHAR(64)     NOT NULL PRIMARY KEY,
  account    BIGINT       NOT NULL,
  -- What was presented, and when: FACTOR_PASSWORD@1700000000000 FACTOR_WEBAUTHN@…
  factors    VARCHAR(500) NOT NULL,
  created_at BIGINT       NOT NULL,
  seen_at    BIGINT       NOT NULL
) ${table_options};

CREATE INDEX session_by_account ON session (account);

CREATE TABLE api_token (
  id         BIGINT       NOT NULL PRIMARY KEY,
  hash       CHAR(64)     NOT NULL,
  name       VARCHAR(200) NOT NULL,
  -- Its owner; 0 if it was made on the machine itself.
  account    BIGINT       NOT NULL,
  scopes     VARCHAR(200) NOT NULL,
  -- The only tenant that it is for; empty for all of the owner's.
  tenant     VARCHAR(300) NOT NULL,
  created_at BIGINT       NOT NULL,
  expires_at BIGINT       NOT NULL,
  used_at    BIGINT       NOT NULL,
  revoked_at BIGINT       NOT NULL
) ${table_options};

CREATE UNIQUE INDEX api_token_by_hash ON api_token (hash);

-- Links that set an account up once.
CREATE TABLE one_time_link (
  hash       CHAR(64) NOT NULL PRIMARY KEY,
  -- 0 for the first administrator.
  account    BIGINT   NOT NULL,
  expires_at BIGINT   NOT NULL
) ${table_options};

-- Challenges of passkeys and requests to identity servers that wait for their answer.
CREATE TABLE ceremony (
  hash       CHAR(64)    NOT NULL PRIMARY KEY,
  kind       VARCHAR(40) NOT NULL,
  body       LONGTEXT    NOT NULL,
  expires_at BIGINT      NOT NULL
) ${table_options};

INSERT INTO counter (name, value) VALUES ('account', 0);
INSERT INTO counter (name, value) VALUES ('api_token', 0);
