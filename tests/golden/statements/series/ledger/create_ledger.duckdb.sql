-- create_ledger
CREATE TABLE "ledger; --" (
  "row_hash" UUID,
  "person_hash" UUID,
  "class_hash" UUID,
  "content_hash" UUID,
  "dis'ease" UUID,
  seen_release INTEGER,
  birth_release INTEGER,
  gone_release INTEGER,
  death_release INTEGER
)
