-- cast_columns
CREATE TEMP VIEW "ca'st" AS
SELECT
  CAST("t"."na'me" AS DECIMAL(9,2)) AS "na'me",
  CAST("t"."b" AS DATE) AS "b"
FROM "tak'en" AS t
