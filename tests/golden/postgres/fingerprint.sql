SELECT
  COUNT(*) AS row_count,
  SUM(CAST(CAST(CONCAT('x', CONCAT(SUBSTR(MD5("row_text"), 15, 2), SUBSTR(MD5("row_text"), 13, 2), SUBSTR(MD5("row_text"), 11, 2), SUBSTR(MD5("row_text"), 9, 2), SUBSTR(MD5("row_text"), 7, 2), SUBSTR(MD5("row_text"), 5, 2), SUBSTR(MD5("row_text"), 3, 2), SUBSTR(MD5("row_text"), 1, 1))) AS BIT(60)) AS BIGINT)) AS fingerprint
FROM (
  SELECT
    CONCAT(
      COALESCE(OCTET_LENGTH(CONVERT_TO(CAST("s"."who" AS TEXT), 'UTF8')) || ':' || CAST("s"."who" AS TEXT), '-'),
      ',',
      COALESCE(OCTET_LENGTH(CONVERT_TO(CAST("s"."na'me" AS TEXT), 'UTF8')) || ':' || CAST("s"."na'me" AS TEXT), '-'),
      ',',
      COALESCE(OCTET_LENGTH(CONVERT_TO(CAST("s"."s.s.n" AS TEXT), 'UTF8')) || ':' || CAST("s"."s.s.n" AS TEXT), '-'),
      ',',
      COALESCE(OCTET_LENGTH(CONVERT_TO(CAST("s"."street" AS TEXT), 'UTF8')) || ':' || CAST("s"."street" AS TEXT), '-'),
      ',',
      COALESCE(OCTET_LENGTH(CONVERT_TO(CAST("s"."se""x" AS TEXT), 'UTF8')) || ':' || CAST("s"."se""x" AS TEXT), '-'),
      ',',
      COALESCE(OCTET_LENGTH(CONVERT_TO(CAST("s"."zip; --" AS TEXT), 'UTF8')) || ':' || CAST("s"."zip; --" AS TEXT), '-'),
      ',',
      COALESCE(OCTET_LENGTH(CONVERT_TO(CAST("s"."age
of 👩" AS TEXT), 'UTF8')) || ':' || CAST("s"."age
of 👩" AS TEXT), '-'),
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
  FROM "the source; DROP TABLE x" AS s
) AS r
