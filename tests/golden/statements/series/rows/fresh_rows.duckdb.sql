-- fresh_rows
CREATE TEMP TABLE "fresh; --" AS
SELECT
  t."se""x",
  t."zip; --",
  t."dis'ease",
  t.row_hash,
  "of; class_hash"."class_hash" AS "class_hash",
  CAST(unhex(SUBSTR(sha256(getvariable('kanon_inner_22de91da') || encode(CAST("t"."hashed_text_2" AS VARCHAR))), 1, 32)) AS UUID) AS "content_hash",
  CAST(unhex(SUBSTR(sha256(getvariable('kanon_inner_22de91da') || encode(CAST("t"."hashed_text_3" AS VARCHAR))), 1, 32)) AS UUID) AS "person_hash",
  CAST(unhex(SUBSTR(sha256(getvariable('kanon_inner_22de91da') || encode(CAST("t"."hashed_text_4" AS VARCHAR))), 1, 32)) AS UUID) AS "sensitive_1",
  1 AS seen_release
FROM (
  SELECT
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
    ) AS "hashed_text_2",
    'person' || CAST("r"."who" AS VARCHAR) AS "hashed_text_3",
    'value' || CAST("r"."dis'ease" AS VARCHAR) AS "hashed_text_4",
    r.*
  FROM "live; --" AS r
) AS t
JOIN "classes; --" AS "of; class_hash" ON "t"."se""x" IS NOT DISTINCT FROM "of; class_hash"."se""x" AND "t"."zip; --" IS NOT DISTINCT FROM "of; class_hash"."zip; --"
