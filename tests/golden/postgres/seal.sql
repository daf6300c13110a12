SELECT SUM(row_count) AS row_count, ENCODE(SHA256(CONVERT_TO(COALESCE(STRING_AGG("heap_hash", ',' ORDER BY "heap_hash" COLLATE "C"), ''), 'UTF8')), 'hex') AS seal FROM (
  SELECT SUM(row_count) AS row_count, ENCODE(SHA256(CONVERT_TO(COALESCE(STRING_AGG("entry", ',' ORDER BY "entry" COLLATE "C"), ''), 'UTF8')), 'hex') AS "heap_hash" FROM (
  SELECT CONCAT(row_hash, ' ', COUNT(*)) AS "entry", SUBSTR(row_hash, 1, 3) AS prefix, COUNT(*) AS row_count FROM (
  SELECT ENCODE(SHA256(CONVERT_TO("row_text", 'UTF8')), 'hex') AS row_hash FROM (
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
) AS r) AS h GROUP BY row_hash) AS e GROUP BY prefix) AS p
