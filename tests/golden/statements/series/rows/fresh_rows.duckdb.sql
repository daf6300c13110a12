-- fresh_rows
CREATE TEMP TABLE "fresh; --" AS
SELECT
  t."se""x",
  t."zip; --",
  t."dis'ease",
  t.row_hash,
  CAST(SUBSTR(sha256(getvariable('kanon_inner_22de91da') || encode(CAST("t"."person_text" AS VARCHAR))), 1, 32) AS UUID) AS person_hash,
  CAST(SUBSTR(sha256(getvariable('kanon_inner_22de91da') || encode(CAST("t"."class_text" AS VARCHAR))), 1, 32) AS UUID) AS class_hash,
  CAST(SUBSTR(sha256(getvariable('kanon_inner_22de91da') || encode(CAST("t"."content_text" AS VARCHAR))), 1, 32) AS UUID) AS content_hash,
  CAST(SUBSTR(sha256(getvariable('kanon_inner_22de91da') || encode(CAST("t"."value_text_1" AS VARCHAR))), 1, 32) AS UUID) AS "sensitive_1",
  t.seen_release
FROM (
  SELECT
    r.*,
    'person' || CAST("r"."who" AS VARCHAR) AS person_text,
    'class' || CONCAT(
      COALESCE(STRLEN(CAST("r"."se""x" AS VARCHAR)) || ':', '-'),
      COALESCE(CAST("r"."se""x" AS VARCHAR), ''),
      ',',
      COALESCE(STRLEN(CAST("r"."zip; --" AS VARCHAR)) || ':', '-'),
      COALESCE(CAST("r"."zip; --" AS VARCHAR), ''),
      ','
    ) AS class_text,
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
    ) AS content_text,
    'value' || CAST("r"."dis'ease" AS VARCHAR) AS "value_text_1",
    1 AS seen_release
  FROM "live; --" AS r
) AS t
