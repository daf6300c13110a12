SELECT SUM(row_count) AS row_count, sha256(COALESCE(STRING_AGG("heap_hash", ',' ORDER BY "heap_hash"), '')) AS seal FROM (
  SELECT SUM(row_count) AS row_count, sha256(COALESCE(STRING_AGG("entry", ',' ORDER BY "entry"), '')) AS "heap_hash" FROM (
  SELECT CONCAT(row_hash, ' ', COUNT(*)) AS "entry", SUBSTR(row_hash, 1, 3) AS prefix, COUNT(*) AS row_count FROM (
  SELECT sha256("row_text") AS row_hash FROM (
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
) AS r) AS h GROUP BY row_hash) AS e GROUP BY prefix) AS p
