-- previous_rows
CREATE TEMP TABLE "previous; --" AS
SELECT
  r."se""x",
  r."zip; --",
  r."dis'ease",
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
FROM "born; --" AS r
