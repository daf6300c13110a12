-- create_releases
CREATE TABLE "releases; --" (
  number INTEGER PRIMARY KEY,
  released_at VARCHAR(40),
  recoding VARCHAR(64),
  key_check VARCHAR(64),
  key_types VARCHAR(64),
  least_people INTEGER,
  source_rows BIGINT,
  outside BIGINT,
  shown BIGINT,
  born BIGINT,
  withheld BIGINT,
  waiting BIGINT,
  left_rows BIGINT,
  withdrawn BIGINT,
  ended INTEGER
)
