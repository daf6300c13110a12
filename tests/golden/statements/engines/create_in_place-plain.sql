-- duckdb
CREATE TABLE "plain one" (
  "zip; --" VARCHAR
)
