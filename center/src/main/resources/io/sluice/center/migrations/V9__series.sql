-- Figures of traffic, packed: a row has one hour of minutes or one day of hours for some rules or nodes. Each center writes its own
-- rows. What the fleet decided is the sum over all centers.
CREATE TABLE series_block (
  -- minute or hour
  step     VARCHAR(10) NOT NULL,
  -- 0 for the fleet, then rules and nodes by a hash of their names
  part     INT         NOT NULL,
  -- when the block begins, in seconds since 1970
  start_at BIGINT      NOT NULL,
  center   VARCHAR(64) NOT NULL,
  revision BIGINT      NOT NULL,
  -- 1 if the minutes are in a block of hours
  rolled   INT         NOT NULL,
  data     LONGBLOB    NOT NULL,
  PRIMARY KEY (step, part, start_at, center)
) ${table_options};

CREATE INDEX series_block_by_time ON series_block (step, start_at);

CREATE INDEX series_block_by_state ON series_block (rolled, start_at);
