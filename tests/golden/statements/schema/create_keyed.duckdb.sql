-- create_keyed
CREATE TABLE "key;ed" (
  "i'd" VARCHAR,
  "pa.tient" VARCHAR,
  PRIMARY KEY ("i'd")
)
