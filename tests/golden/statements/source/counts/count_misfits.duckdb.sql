-- count_misfits
SELECT
  COALESCE(SUM(CASE WHEN COALESCE(CAST(TRY_CAST("t"."se""x" AS BIGINT) AS VARCHAR) = "t"."se""x", "t"."se""x" IS NULL) THEN 0 ELSE 1 END), 0) AS "misfits_1",
  COALESCE(SUM(CASE WHEN COALESCE(CAST(TRY_CAST("t"."zip; --" AS DECIMAL(18, 2)) AS VARCHAR) = "t"."zip; --", "t"."zip; --" IS NULL) THEN 0 ELSE 1 END), 0) AS "misfits_2"
FROM "the source; DROP TABLE x" AS t
