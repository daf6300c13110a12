-- fingerprint
SELECT
  COUNT(*) AS row_count,
  SUM((CAST(md5_number("row_text") & 18446744073709551615 AS UBIGINT) >> 4)) AS fingerprint
FROM (
  SELECT
    CONCAT(
      COALESCE(STRLEN(CAST("s"."who" AS VARCHAR)) || ':', '-'),
      COALESCE(CAST("s"."who" AS VARCHAR), ''), ',',
      COALESCE(STRLEN(CAST("s"."na'me" AS VARCHAR)) || ':', '-'),
      COALESCE(CAST("s"."na'me" AS VARCHAR), ''), ',',
      COALESCE(STRLEN(CAST("s"."s.s.n" AS VARCHAR)) || ':', '-'),
      COALESCE(CAST("s"."s.s.n" AS VARCHAR), ''), ',',
      COALESCE(STRLEN(CAST("s"."street" AS VARCHAR)) || ':', '-'),
      COALESCE(CAST("s"."street" AS VARCHAR), ''), ',',
      COALESCE(STRLEN(CAST("s"."se""x" AS VARCHAR)) || ':', '-'),
      COALESCE(CAST("s"."se""x" AS VARCHAR), ''), ',',
      COALESCE(STRLEN(CAST("s"."zip; --" AS VARCHAR)) || ':', '-'),
      COALESCE(CAST("s"."zip; --" AS VARCHAR), ''), ',',
      COALESCE(STRLEN(CAST("s"."age
of 👩" AS VARCHAR)) || ':', '-'),
      COALESCE(CAST("s"."age
of 👩" AS VARCHAR), ''), ',',
      COALESCE(STRLEN(CAST("s"."SELECT" AS VARCHAR)) || ':', '-'),
      COALESCE(CAST("s"."SELECT" AS VARCHAR), ''), ',',
      COALESCE(STRLEN(CAST("s"."dis'ease" AS VARCHAR)) || ':', '-'),
      COALESCE(CAST("s"."dis'ease" AS VARCHAR), ''), ',',
      COALESCE(STRLEN(CAST("s"."ward 🏥" AS VARCHAR)) || ':', '-'),
      COALESCE(CAST("s"."ward 🏥" AS VARCHAR), ''), ',',
      COALESCE(STRLEN(CAST("s"."vis.it" AS VARCHAR)) || ':', '-'),
      COALESCE(CAST("s"."vis.it" AS VARCHAR), ''), ','
    ) AS "row_text"
  FROM "the source; DROP TABLE x" AS s
) AS r
