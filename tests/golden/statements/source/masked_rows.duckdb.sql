-- masked_rows-constant_0
CREATE TEMP TABLE "ma'sked 0" AS
SELECT
  "s"."na'me" AS "na'me",
  'it''s' AS "se""x"
FROM "the source; DROP TABLE x" AS s
