-- Runs on SQLite and on MariaDB. Times are milliseconds since the epoch. Ids come from the table counter.

CREATE TABLE counter (
  name  VARCHAR(32) NOT NULL PRIMARY KEY,
  value BIGINT      NOT NULL
) ${table_options};

INSERT INTO counter (name, value) VALUES ('command', 0);
INSERT INTO counter (name, value) VALUES ('change', 0);
INSERT INTO counter (name, value) VALUES ('rollout', 0);

-- Every mutation, as it was asked for.
CREATE TABLE command (
  number   BIGINT       NOT NULL PRIMARY KEY,
  at       BIGINT       NOT NULL,
  actor    VARCHAR(200) NOT NULL,
  kind     VARCHAR(40)  NOT NULL,
  reason   LONGTEXT     NOT NULL,
  expected BIGINT       NOT NULL,
  body     LONGTEXT     NOT NULL
) ${table_options};

-- Released rules. Rows are never changed.
CREATE TABLE rule_version (
  number      BIGINT       NOT NULL PRIMARY KEY,
  digest      CHAR(64)     NOT NULL,
  document    LONGTEXT     NOT NULL,
  rules       BIGINT       NOT NULL,
  released_at BIGINT       NOT NULL,
  actor       VARCHAR(200) NOT NULL,
  title       VARCHAR(300) NOT NULL,
  reason      LONGTEXT     NOT NULL,
  change_id   BIGINT       NOT NULL,
  content_of  BIGINT       NOT NULL,
  rollout     BIGINT       NOT NULL
) ${table_options};

CREATE TABLE rule_change (
  id         BIGINT       NOT NULL PRIMARY KEY,
  revision   BIGINT       NOT NULL,
  state      VARCHAR(20)  NOT NULL,
  title      VARCHAR(300) NOT NULL,
  reason     LONGTEXT     NOT NULL,
  author     VARCHAR(200) NOT NULL,
  base       BIGINT       NOT NULL,
  edits      LONGTEXT     NOT NULL,
  opened_at  BIGINT       NOT NULL,
  changed_at BIGINT       NOT NULL,
  version    BIGINT       NOT NULL
) ${table_options};

CREATE INDEX rule_change_by_state ON rule_change (state, id);

CREATE TABLE rollout (
  id         BIGINT      NOT NULL PRIMARY KEY,
  version    BIGINT      NOT NULL,
  state      VARCHAR(20) NOT NULL,
  started_at BIGINT      NOT NULL,
  ended_at   BIGINT      NOT NULL,
  nodes      LONGTEXT    NOT NULL
) ${table_options};

CREATE UNIQUE INDEX rollout_by_version ON rollout (version);

-- The last report of each node that reports over HTTP.
CREATE TABLE node_report (
  id     VARCHAR(128) NOT NULL PRIMARY KEY,
  beat   BIGINT       NOT NULL,
  report LONGTEXT     NOT NULL
) ${table_options};

-- The center that completes releases. It raises beat; if beat stands still, another center takes over.
CREATE TABLE leadership (
  name   VARCHAR(32)  NOT NULL PRIMARY KEY,
  holder VARCHAR(100) NOT NULL,
  beat   BIGINT       NOT NULL
) ${table_options};
