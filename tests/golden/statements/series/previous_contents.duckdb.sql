-- previous_contents
CREATE TEMP TABLE "contents; --" AS
SELECT
  content_text,
  SUBSTR(sha256(getvariable('kanon_outer_22de91da') || unhex(sha256(getvariable('kanon_inner_22de91da') || encode(CAST("content_text" AS VARCHAR))))), 1, 32) AS content_hash,
  copies
FROM (
  SELECT
    content_text,
    COUNT(*) AS copies
  FROM "previous; --" AS p
  GROUP BY content_text
) AS p
