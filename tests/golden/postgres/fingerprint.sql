SELECT
  COUNT(*) AS row_count,
  SUM(CAST(CAST(CONCAT('x', CONCAT(SUBSTR(MD5("row_text"), 15, 2), SUBSTR(MD5("row_text"), 13, 2), SUBSTR(MD5("row_text"), 11, 2), SUBSTR(MD5("row_text"), 9, 2), SUBSTR(MD5("row_text"), 7, 2), SUBSTR(MD5("row_text"), 5, 2), SUBSTR(MD5("row_text"), 3, 2), SUBSTR(MD5("row_text"), 1, 1))) AS BIT(60)) AS BIGINT)) AS fingerprint
FROM (
  SELECT
    CONCAT(
      COALESCE(LENGTH(CAST("s"."who" AS TEXT)) || ':' || CAST("s"."who" AS TEXT), 'NULL'),
      ',',
      COALESCE(LENGTH(CAST("s"."na'me" AS TEXT)) || ':' || CAST("s"."na'me" AS TEXT), 'NULL'),
      ',',
      COALESCE(LENGTH(CAST("s"."s.s.n" AS TEXT)) || ':' || CAST("s"."s.s.n" AS TEXT), 'NULL'),
      ',',
      COALESCE(LENGTH(CAST("s"."street" AS TEXT)) || ':' || CAST("s"."street" AS TEXT), 'NULL'),
      ',',
      COALESCE(LENGTH(CAST("s"."se""x" AS TEXT)) || ':' || CAST("s"."se""x" AS TEXT), 'NULL'),
      ',',
      COALESCE(LENGTH(CAST("s"."zip; --" AS TEXT)) || ':' || CAST("s"."zip; --" AS TEXT), 'NULL'),
      ',',
      COALESCE(CAST("s"."age
of 👩" AS TEXT), 'NULL'),
      ',',
      COALESCE(LENGTH(CAST("s"."SELECT" AS TEXT)) || ':' || CAST("s"."SELECT" AS TEXT), 'NULL'),
      ',',
      COALESCE(LENGTH(CAST("s"."dis'ease" AS TEXT)) || ':' || CAST("s"."dis'ease" AS TEXT), 'NULL'),
      ',',
      COALESCE(LENGTH(CAST("s"."ward 🏥" AS TEXT)) || ':' || CAST("s"."ward 🏥" AS TEXT), 'NULL'),
      ',',
      COALESCE(LENGTH(CAST("s"."vis.it" AS TEXT)) || ':' || CAST("s"."vis.it" AS TEXT), 'NULL'),
      ','
    ) AS "row_text"
  FROM "the source; DROP TABLE x" AS s
) AS r
