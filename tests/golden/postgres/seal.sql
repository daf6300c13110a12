SELECT SUM(row_count) AS row_count, ENCODE(SHA256(CONVERT_TO(COALESCE(STRING_AGG("heap_hash", ',' ORDER BY "heap_hash" COLLATE "C"), ''), 'UTF8')), 'hex') AS seal FROM (
  SELECT SUM(row_count) AS row_count, ENCODE(SHA256(CONVERT_TO(COALESCE(STRING_AGG("entry", ',' ORDER BY "entry" COLLATE "C"), ''), 'UTF8')), 'hex') AS "heap_hash" FROM (
  SELECT CONCAT(row_hash, ' ', COUNT(*)) AS "entry", SUBSTR(row_hash, 1, 3) AS prefix, COUNT(*) AS row_count FROM (
  SELECT ENCODE(SHA256(CONVERT_TO("row_text", 'UTF8')), 'hex') AS row_hash FROM (
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
) AS r) AS h GROUP BY row_hash) AS e GROUP BY prefix) AS p
