-- bound_texts
CREATE TEMP TABLE "bo'und" AS
SELECT
  UNNEST(CAST(? AS TEXT[])) AS "value",
  UNNEST(CAST(? AS TEXT[])) AS "level_1"
