-- hashed_values
CREATE TEMP TABLE "classes; --" AS
SELECT
  p."se""x",
  p."zip; --",
  CAST(unhex(SUBSTR(sha256(getvariable('kanon_inner_22de91da') || encode(CAST("p"."hashed_text" AS VARCHAR))), 1, 32)) AS UUID) AS "class_hash",
  p.series_copies
FROM (
  SELECT
    r.*,
    'class' || CONCAT(
      COALESCE(STRLEN(CAST("r"."se""x" AS VARCHAR)) || ':', '-'),
      COALESCE(CAST("r"."se""x" AS VARCHAR), ''),
      ',',
      COALESCE(STRLEN(CAST("r"."zip; --" AS VARCHAR)) || ':', '-'),
      COALESCE(CAST("r"."zip; --" AS VARCHAR), ''),
      ','
    ) AS hashed_text
  FROM (
    SELECT
      r."se""x",
      r."zip; --",
      COUNT(*) AS series_copies
    FROM "live; --" AS r
    GROUP BY r."se""x", r."zip; --"
  ) AS r
) AS p
