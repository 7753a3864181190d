-- The log of commands becomes an audit log: each row is a leaf of a Merkle tree. A leaf has a commitment in place of origin, reason and
-- body, so that the tree can still be verified after they were erased.
ALTER TABLE command ADD COLUMN salt VARCHAR(43) NOT NULL DEFAULT '';
ALTER TABLE command ADD COLUMN commitment VARCHAR(64) NOT NULL DEFAULT '';
ALTER TABLE command ADD COLUMN hash VARCHAR(64) NOT NULL DEFAULT '';
-- From where: an address, or nothing for what the center does itself.
ALTER TABLE command ADD COLUMN origin VARCHAR(300) NOT NULL DEFAULT '';
-- done or refused
ALTER TABLE command ADD COLUMN outcome VARCHAR(20) NOT NULL DEFAULT 'done';
-- The row that erased origin, reason and body of this one; 0 if they are there.
ALTER TABLE command ADD COLUMN erased_by BIGINT NOT NULL DEFAULT 0;

-- The newest row, the root of the tree, and the roots of its complete subtrees, the largest first. Whoever adds a row changes it first,
-- and so sees what others have added.
CREATE TABLE audit_head (
  name     VARCHAR(32) NOT NULL PRIMARY KEY,
  number   BIGINT      NOT NULL,
  hash     VARCHAR(64) NOT NULL,
  frontier LONGTEXT    NOT NULL,
  -- The id of the log; empty until the center starts.
  log      VARCHAR(32) NOT NULL
) ${table_options};

INSERT INTO audit_head (name, number, hash, frontier, log)
  VALUES ('command', 0, 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855', '', '');

-- Every complete subtree. Depth 0 has the leaves, whose places count from 0.
CREATE TABLE audit_node (
  depth BIGINT      NOT NULL,
  place BIGINT      NOT NULL,
  hash  VARCHAR(64) NOT NULL,
  PRIMARY KEY (depth, place)
) ${table_options};

-- Signed states of the log, by its number of rows.
CREATE TABLE audit_checkpoint (
  size      BIGINT       NOT NULL PRIMARY KEY,
  root      VARCHAR(64)  NOT NULL,
  at        BIGINT       NOT NULL,
  key_id    VARCHAR(16)  NOT NULL,
  signature VARCHAR(200) NOT NULL
) ${table_options};

-- The public keys of the log, in their order. Each is signed by the one before.
CREATE TABLE audit_key (
  number     BIGINT       NOT NULL PRIMARY KEY,
  id         VARCHAR(16)  NOT NULL,
  public_key VARCHAR(200) NOT NULL,
  before_id  VARCHAR(16)  NOT NULL,
  signature  VARCHAR(200) NOT NULL,
  at         BIGINT       NOT NULL
) ${table_options};

-- Rows that were deleted because of their age. Their leaves stay.
CREATE TABLE audit_segment (
  first_row BIGINT      NOT NULL PRIMARY KEY,
  last_row  BIGINT      NOT NULL,
  -- The root of the tree that ends with the last row.
  root      VARCHAR(64) NOT NULL,
  at        BIGINT      NOT NULL
) ${table_options};
