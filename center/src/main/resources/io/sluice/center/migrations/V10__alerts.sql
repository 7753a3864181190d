-- Alert rules that somebody changed or added, as JSON. The others have the values that are built in.
CREATE TABLE alert_rule (
  id       VARCHAR(64) NOT NULL PRIMARY KEY,
  revision BIGINT      NOT NULL,
  body     LONGTEXT    NOT NULL
) ${table_options};

-- Alerts that fire or fired. Callers are masked, and the key has their keyed hash.
CREATE TABLE alert (
  id          BIGINT      NOT NULL PRIMARY KEY,
  -- firing or resolved
  state       VARCHAR(20) NOT NULL,
  since       BIGINT      NOT NULL,
  resolved_at BIGINT      NOT NULL,
  body        LONGTEXT    NOT NULL
) ${table_options};

CREATE INDEX alert_by_state ON alert (state, resolved_at);

-- Alerts that are shown and not sent, until a time.
CREATE TABLE alert_silence (
  id          BIGINT       NOT NULL PRIMARY KEY,
  kind        VARCHAR(64)  NOT NULL,
  rule        VARCHAR(64)  NOT NULL,
  subject_key VARCHAR(400) NOT NULL,
  subject     VARCHAR(600) NOT NULL,
  reason      LONGTEXT     NOT NULL,
  actor       VARCHAR(200) NOT NULL,
  at          BIGINT       NOT NULL,
  until_at    BIGINT       NOT NULL
) ${table_options};

INSERT INTO counter (name, value) VALUES ('alert', 0);
INSERT INTO counter (name, value) VALUES ('alert_silence', 0);
