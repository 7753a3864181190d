-- Versions that are tried before they are in force, schedules, and temporary adjustments.

-- 1 if the version was tried by some nodes or callers and never promoted.
ALTER TABLE rule_version ADD COLUMN trial BIGINT NOT NULL DEFAULT 0;

-- A schedule has no version yet, so versions are no longer unique here.
CREATE TABLE rollout_with_trials (
  id            BIGINT       NOT NULL PRIMARY KEY,
  revision      BIGINT       NOT NULL,
  version       BIGINT       NOT NULL,
  state         VARCHAR(20)  NOT NULL,
  started_at    BIGINT       NOT NULL,
  ended_at      BIGINT       NOT NULL,
  nodes         LONGTEXT     NOT NULL,
  change_id     BIGINT       NOT NULL,
  actor         VARCHAR(200) NOT NULL,
  reason        LONGTEXT     NOT NULL,
  digest        VARCHAR(64)  NOT NULL,
  expected_base BIGINT       NOT NULL,
  fires_at      BIGINT       NOT NULL,
  plan          LONGTEXT     NOT NULL,
  automatic     BIGINT       NOT NULL,
  replaces      BIGINT       NOT NULL,
  attribute     VARCHAR(300) NOT NULL,
  split_key     VARCHAR(16)  NOT NULL,
  step          BIGINT       NOT NULL,
  step_at       BIGINT       NOT NULL,
  verdict       LONGTEXT     NOT NULL,
  problem       LONGTEXT     NOT NULL,
  successor     BIGINT       NOT NULL
) ${table_options};

INSERT INTO rollout_with_trials
  SELECT id, 1, version, state, started_at, ended_at, nodes, 0, '', '', '', -1, 0, '', 0, 0, '', '', 0, 0, '', '', 0 FROM rollout;

DROP TABLE rollout;

ALTER TABLE rollout_with_trials RENAME TO rollout;

CREATE INDEX rollout_by_state ON rollout (state, id);

-- Other numbers for one caller, and rules that refuse nothing for a while.
CREATE TABLE adjustment (
  id          BIGINT       NOT NULL PRIMARY KEY,
  kind        VARCHAR(20)  NOT NULL,
  rule        VARCHAR(300) NOT NULL,
  limit_name  VARCHAR(600) NOT NULL,
  attribute   VARCHAR(300) NOT NULL,
  caller      LONGTEXT     NOT NULL,
  numbers     LONGTEXT     NOT NULL,
  until_at    BIGINT       NOT NULL,
  reason      LONGTEXT     NOT NULL,
  actor       VARCHAR(200) NOT NULL,
  created_at  BIGINT       NOT NULL,
  revision    BIGINT       NOT NULL,
  ended_at    BIGINT       NOT NULL,
  ended_by    VARCHAR(200) NOT NULL,
  end_reason  LONGTEXT     NOT NULL
) ${table_options};

CREATE INDEX adjustment_by_end ON adjustment (ended_at, id);

INSERT INTO counter (name, value) VALUES ('adjustment', 0);
-- Rises with each change of the adjustments.
INSERT INTO counter (name, value) VALUES ('adjustments', 0);
