-- What was erased, and where. The subject is sealed with a key outside of the database, and removed when all nodes have answered.
CREATE TABLE erasure (
  id           BIGINT       NOT NULL PRIMARY KEY,
  attribute    VARCHAR(300) NOT NULL,
  -- The keyed hash of attribute and value; the key is outside of the database.
  subject_hash VARCHAR(64)  NOT NULL,
  sealed       LONGTEXT     NOT NULL,
  reason       LONGTEXT     NOT NULL,
  actor        VARCHAR(200) NOT NULL,
  at           BIGINT       NOT NULL,
  -- pending, done, or expired if some nodes never answered
  state        VARCHAR(20)  NOT NULL,
  ended_at     BIGINT       NOT NULL,
  -- What the center removed and could not remove, as JSON.
  result       LONGTEXT     NOT NULL
) ${table_options};

CREATE INDEX erasure_by_state ON erasure (state, id);

-- What each node answered, as JSON.
CREATE TABLE erasure_answer (
  id      BIGINT       NOT NULL PRIMARY KEY,
  erasure BIGINT       NOT NULL,
  node    VARCHAR(128) NOT NULL,
  at      BIGINT       NOT NULL,
  result  LONGTEXT     NOT NULL
) ${table_options};

CREATE UNIQUE INDEX erasure_answer_by_node ON erasure_answer (erasure, node);

INSERT INTO counter (name, value) VALUES ('erasure', 0);
INSERT INTO counter (name, value) VALUES ('erasure_answer', 0);

-- What the key outside of the database is recognised by. It is not saved, so a restored database takes the key that it finds.
CREATE TABLE erasure_key (
  name      VARCHAR(32) NOT NULL PRIMARY KEY,
  key_check VARCHAR(64) NOT NULL
) ${table_options};
