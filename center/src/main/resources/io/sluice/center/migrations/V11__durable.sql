-- What one process charged to one window of a durable limit while one Redis had its data. The key is the caller as Redis counts it.
CREATE TABLE durable_sum (
  -- a hash of source, store and count
  ref          VARCHAR(64)  NOT NULL PRIMARY KEY,
  source       VARCHAR(64)  NOT NULL,
  store        VARCHAR(64)  NOT NULL,
  limit_name   VARCHAR(600) NOT NULL,
  calendar     VARCHAR(20)  NOT NULL,
  zone         VARCHAR(64)  NOT NULL,
  count_key    LONGTEXT     NOT NULL,
  window_start BIGINT       NOT NULL,
  window_end   BIGINT       NOT NULL,
  used         BIGINT       NOT NULL,
  changes      BIGINT       NOT NULL
) ${table_options};

CREATE INDEX durable_sum_by_end ON durable_sum (window_end);

-- Each Redis that was found without its data, and the sums as they were at the first question about it.
CREATE TABLE durable_restore (
  store VARCHAR(64) NOT NULL PRIMARY KEY,
  at    BIGINT      NOT NULL
) ${table_options};

CREATE TABLE durable_restored (
  store VARCHAR(64) NOT NULL,
  ref   VARCHAR(64) NOT NULL,
  used  BIGINT      NOT NULL,
  PRIMARY KEY (store, ref)
) ${table_options};
