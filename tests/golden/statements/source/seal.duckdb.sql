-- seal
SELECT SUM(row_count) AS row_count, sha256(COALESCE(ARRAY_TO_STRING(LIST_SORT(STRING_SPLIT(STRING_AGG("heap_hash", ','), ','), 'ASC', 'NULLS LAST'), ','), '')) AS seal FROM (
  SELECT SUM(row_count) AS row_count, sha256(COALESCE(ARRAY_TO_STRING(LIST_SORT(STRING_SPLIT(STRING_AGG("entry", ','), ','), 'ASC', 'NULLS LAST'), ','), '')) AS "heap_hash" FROM (
  SELECT CONCAT(row_hash, ' ', COUNT(*)) AS "entry", SUBSTR(row_hash, 1, 3) AS prefix, COUNT(*) AS row_count FROM (
  SELECT sha256("row_text") AS row_hash FROM (
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
) AS r) AS h GROUP BY row_hash) AS e GROUP BY prefix) AS p
