SELECT
  COUNT(*) AS row_count,
  SUM((md5_number_upper("row_text") >> 4)) AS fingerprint
FROM (
  SELECT
    CONCAT(
      COALESCE(STRLEN(CAST("s"."who" AS VARCHAR)) || ':' || CAST("s"."who" AS VARCHAR), '-'),
      ',',
      COALESCE(STRLEN(CAST("s"."na'me" AS VARCHAR)) || ':' || CAST("s"."na'me" AS VARCHAR), '-'),
      ',',
      COALESCE(STRLEN(CAST("s"."s.s.n" AS VARCHAR)) || ':' || CAST("s"."s.s.n" AS VARCHAR), '-'),
      ',',
      COALESCE(STRLEN(CAST("s"."street" AS VARCHAR)) || ':' || CAST("s"."street" AS VARCHAR), '-'),
      ',',
      COALESCE(STRLEN(CAST("s"."se""x" AS VARCHAR)) || ':' || CAST("s"."se""x" AS VARCHAR), '-'),
      ',',
      COALESCE(STRLEN(CAST("s"."zip; --" AS VARCHAR)) || ':' || CAST("s"."zip; --" AS VARCHAR), '-'),
      ',',
      COALESCE(STRLEN(CAST("s"."age
of 👩" AS VARCHAR)) || ':' || CAST("s"."age
of 👩" AS VARCHAR), '-'),
      ',',
      COALESCE(STRLEN(CAST("s"."SELECT" AS VARCHAR)) || ':' || CAST("s"."SELECT" AS VARCHAR), '-'),
      ',',
      COALESCE(STRLEN(CAST("s"."dis'ease" AS VARCHAR)) || ':' || CAST("s"."dis'ease" AS VARCHAR), '-'),
      ',',
      COALESCE(STRLEN(CAST("s"."ward 🏥" AS VARCHAR)) || ':' || CAST("s"."ward 🏥" AS VARCHAR), '-'),
      ',',
      COALESCE(STRLEN(CAST("s"."vis.it" AS VARCHAR)) || ':' || CAST("s"."vis.it" AS VARCHAR), '-'),
      ','
    ) AS "row_text"
  FROM "the source; DROP TABLE x" AS s
) AS r
