-- previous_contents
CREATE TEMP TABLE "contents; --" AS
SELECT
  p."se""x",
  p."zip; --",
  p."dis'ease",
  CAST(SUBSTR(sha256(getvariable('kanon_inner_22de91da') || encode(CAST("p"."content_text" AS VARCHAR))), 1, 32) AS UUID) AS content_hash,
  p.copies
FROM (
  SELECT
    r.*,
    'content' || CONCAT(
      COALESCE(STRLEN(CAST("r"."se""x" AS VARCHAR)) || ':', '-'),
      COALESCE(CAST("r"."se""x" AS VARCHAR), ''),
      ',',
      COALESCE(STRLEN(CAST("r"."zip; --" AS VARCHAR)) || ':', '-'),
      COALESCE(CAST("r"."zip; --" AS VARCHAR), ''),
      ',',
      COALESCE(STRLEN(CAST("r"."dis'ease" AS VARCHAR)) || ':', '-'),
      COALESCE(CAST("r"."dis'ease" AS VARCHAR), ''),
      ','
    ) AS content_text
  FROM (
    SELECT
      r."se""x",
      r."zip; --",
      r."dis'ease",
      COUNT(*) AS copies
    FROM "born; --" AS r
    GROUP BY r."se""x", r."zip; --", r."dis'ease"
  ) AS r
) AS p
