SELECT
  COUNT(*) AS row_count,
  SUM((md5_number_upper("row_text") >> 4)) AS fingerprint
FROM (
  SELECT
    CONCAT(
      COALESCE(LENGTH(CAST("s"."who" AS VARCHAR)) || ':' || CAST("s"."who" AS VARCHAR), 'NULL'),
      ',',
      COALESCE(LENGTH(CAST("s"."na'me" AS VARCHAR)) || ':' || CAST("s"."na'me" AS VARCHAR), 'NULL'),
      ',',
      COALESCE(LENGTH(CAST("s"."s.s.n" AS VARCHAR)) || ':' || CAST("s"."s.s.n" AS VARCHAR), 'NULL'),
      ',',
      COALESCE(LENGTH(CAST("s"."street" AS VARCHAR)) || ':' || CAST("s"."street" AS VARCHAR), 'NULL'),
      ',',
      COALESCE(LENGTH(CAST("s"."se""x" AS VARCHAR)) || ':' || CAST("s"."se""x" AS VARCHAR), 'NULL'),
      ',',
      COALESCE(LENGTH(CAST("s"."zip; --" AS VARCHAR)) || ':' || CAST("s"."zip; --" AS VARCHAR), 'NULL'),
      ',',
      COALESCE(CAST("s"."age
of 👩" AS VARCHAR), 'NULL'),
      ',',
      COALESCE(LENGTH(CAST("s"."SELECT" AS VARCHAR)) || ':' || CAST("s"."SELECT" AS VARCHAR), 'NULL'),
      ',',
      COALESCE(LENGTH(CAST("s"."dis'ease" AS VARCHAR)) || ':' || CAST("s"."dis'ease" AS VARCHAR), 'NULL'),
      ',',
      COALESCE(LENGTH(CAST("s"."ward 🏥" AS VARCHAR)) || ':' || CAST("s"."ward 🏥" AS VARCHAR), 'NULL'),
      ',',
      COALESCE(LENGTH(CAST("s"."vis.it" AS VARCHAR)) || ':' || CAST("s"."vis.it" AS VARCHAR), 'NULL'),
      ','
    ) AS "row_text"
  FROM "the source; DROP TABLE x" AS s
) AS r
