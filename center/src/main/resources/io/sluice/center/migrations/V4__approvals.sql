-- The second person: who wrote a change, who approved it, and what was done without waiting for approval.

-- Who opened and edited a change. The highest revision is that of its content.
CREATE TABLE change_author (
  id        BIGINT       NOT NULL PRIMARY KEY,
  change_id BIGINT       NOT NULL,
  revision  BIGINT       NOT NULL,
  actor     VARCHAR(200) NOT NULL,
  -- The person behind the actor, at that time.
  identity  VARCHAR(200) NOT NULL,
  at        BIGINT       NOT NULL
) ${table_options};

CREATE UNIQUE INDEX change_author_by_change ON change_author (change_id, revision);

INSERT INTO change_author SELECT id, id, revision, author, author, changed_at FROM rule_change;
INSERT INTO counter (name, value) SELECT 'change_author', COALESCE(MAX(id), 0) FROM rule_change;

-- A person agrees to something. Rows are never changed; whether they still hold is found out when it matters.
CREATE TABLE approval (
  id       BIGINT       NOT NULL PRIMARY KEY,
  -- change, settings or emergency
  kind     VARCHAR(20)  NOT NULL,
  subject  BIGINT       NOT NULL,
  -- Of the content of a change.
  revision BIGINT       NOT NULL,
  -- Of the rules that result from a change.
  digest   VARCHAR(64)  NOT NULL,
  -- The version, or the revision of the settings, that was in force.
  base     BIGINT       NOT NULL,
  account  BIGINT       NOT NULL,
  actor    VARCHAR(200) NOT NULL,
  identity VARCHAR(200) NOT NULL,
  remark   LONGTEXT     NOT NULL,
  at       BIGINT       NOT NULL
) ${table_options};

CREATE INDEX approval_by_subject ON approval (kind, subject);

-- The newest revision is in force. Without any, the defaults are.
CREATE TABLE approval_settings (
  revision         BIGINT NOT NULL PRIMARY KEY,
  approvals        BIGINT NOT NULL,
  expires_millis   BIGINT NOT NULL,
  emergency_millis BIGINT NOT NULL,
  raise_percent    BIGINT NOT NULL,
  at               BIGINT NOT NULL
) ${table_options};

CREATE TABLE settings_proposal (
  id               BIGINT       NOT NULL PRIMARY KEY,
  -- The revision of the settings that it replaces.
  base             BIGINT       NOT NULL,
  approvals        BIGINT       NOT NULL,
  expires_millis   BIGINT       NOT NULL,
  emergency_millis BIGINT       NOT NULL,
  raise_percent    BIGINT       NOT NULL,
  reason           LONGTEXT     NOT NULL,
  actor            VARCHAR(200) NOT NULL,
  identity         VARCHAR(200) NOT NULL,
  at               BIGINT       NOT NULL,
  -- waiting, approved or rejected
  state            VARCHAR(20)  NOT NULL
) ${table_options};

CREATE TABLE emergency (
  id           BIGINT       NOT NULL PRIMARY KEY,
  -- release, rollback, switch or override
  kind         VARCHAR(20)  NOT NULL,
  -- The version, or the id of the adjustment.
  subject      BIGINT       NOT NULL,
  -- The version that was in force before.
  before_version BIGINT     NOT NULL,
  -- 0 unless a change was released.
  change_id    BIGINT       NOT NULL,
  -- Why it needed approval, as JSON.
  why          LONGTEXT     NOT NULL,
  -- Rules that stay protected until it was reviewed, as JSON.
  guarded      LONGTEXT     NOT NULL,
  actor        VARCHAR(200) NOT NULL,
  identity     VARCHAR(200) NOT NULL,
  reason       LONGTEXT     NOT NULL,
  at           BIGINT       NOT NULL,
  ends_at      BIGINT       NOT NULL,
  -- waiting, ended, accepted or rejected
  state        VARCHAR(20)  NOT NULL,
  closed_by    VARCHAR(200) NOT NULL,
  closed_at    BIGINT       NOT NULL,
  close_reason LONGTEXT     NOT NULL,
  -- The version that undid it; 0 if none did.
  undone_by    BIGINT       NOT NULL
) ${table_options};

CREATE INDEX emergency_by_state ON emergency (state, id);

INSERT INTO counter (name, value) VALUES ('approval', 0);
INSERT INTO counter (name, value) VALUES ('settings_proposal', 0);
INSERT INTO counter (name, value) VALUES ('emergency', 0);
