SELECT
  COUNT(*) AS row_count,
  SUM(CAST(HASHTEXTEXTENDED("row_text" COLLATE "C", 0) AS NUMERIC)) AS "row_hash"
FROM (
  SELECT
    CONCAT(
      COALESCE(OCTET_LENGTH(CONVERT_TO(CAST("s"."na'me" AS TEXT), 'UTF8')) || ':' || CAST("s"."na'me" AS TEXT), '-'),
      ',',
      COALESCE(OCTET_LENGTH(CONVERT_TO(CAST("s"."s.s.n" AS TEXT), 'UTF8')) || ':' || CAST("s"."s.s.n" AS TEXT), '-'),
      ',',
      COALESCE(OCTET_LENGTH(CONVERT_TO(CAST("s"."se""x" AS TEXT), 'UTF8')) || ':' || CAST("s"."se""x" AS TEXT), '-'),
      ',',
      COALESCE(OCTET_LENGTH(CONVERT_TO(CAST("s"."zip; --" AS TEXT), 'UTF8')) || ':' || CAST("s"."zip; --" AS TEXT), '-'),
      ',',
      COALESCE(OCTET_LENGTH(CONVERT_TO(CAST("s"."age
of 👩_low" AS TEXT), 'UTF8')) || ':' || CAST("s"."age
of 👩_low" AS TEXT), '-'),
      ',',
      COALESCE(OCTET_LENGTH(CONVERT_TO(CAST("s"."age
of 👩_high" AS TEXT), 'UTF8')) || ':' || CAST("s"."age
of 👩_high" AS TEXT), '-'),
      ',',
      COALESCE(OCTET_LENGTH(CONVERT_TO(CAST("s"."SELECT" AS TEXT), 'UTF8')) || ':' || CAST("s"."SELECT" AS TEXT), '-'),
      ',',
      COALESCE(OCTET_LENGTH(CONVERT_TO(CAST("s"."dis'ease" AS TEXT), 'UTF8')) || ':' || CAST("s"."dis'ease" AS TEXT), '-'),
      ',',
      COALESCE(OCTET_LENGTH(CONVERT_TO(CAST("s"."ward 🏥" AS TEXT), 'UTF8')) || ':' || CAST("s"."ward 🏥" AS TEXT), '-'),
      ',',
      COALESCE(OCTET_LENGTH(CONVERT_TO(CAST("s"."vis.it" AS TEXT), 'UTF8')) || ':' || CAST("s"."vis.it" AS TEXT), '-'),
      ','
    ) AS "row_text"
  FROM "read back" AS s
) AS r
