-- create_ledger
CREATE TABLE "ledger; --" (
  row_hash VARCHAR(32),
  person_hash VARCHAR(32),
  class_hash VARCHAR(32),
  content_hash VARCHAR(32),
  "dis'ease" VARCHAR(32),
  seen_release INTEGER,
  birth_release INTEGER,
  gone_release INTEGER,
  death_release INTEGER
)
