-- duckdb
SELECT SUM(row_count) AS row_count, sha256(COALESCE(ARRAY_TO_STRING(LIST_SORT(LIST("heap_hash"), 'ASC', 'NULLS LAST'), ','), '')) AS seal FROM (
  SELECT SUM(row_count) AS row_count, sha256(COALESCE(ARRAY_TO_STRING(LIST_SORT(LIST("entry"), 'ASC', 'NULLS LAST'), ','), '')) AS "heap_hash" FROM (
  SELECT CONCAT(row_hash, ' ', COUNT(*)) AS "entry", SUBSTR(row_hash, 1, 3) AS prefix, COUNT(*) AS row_count FROM (
  SELECT sha256("row_text") AS row_hash FROM (
  SELECT
    CONCAT(
      COALESCE(STRLEN(CAST("s"."who" AS VARCHAR)) || ':', '-'),
      COALESCE(CAST("s"."who" AS VARCHAR), ''),
      ',',
      COALESCE(STRLEN(CAST("s"."na'me" AS VARCHAR)) || ':', '-'),
      COALESCE(CAST("s"."na'me" AS VARCHAR), ''),
      ',',
      COALESCE(STRLEN(CAST("s"."s.s.n" AS VARCHAR)) || ':', '-'),
      COALESCE(CAST("s"."s.s.n" AS VARCHAR), ''),
      ',',
      COALESCE(STRLEN(CAST("s"."street" AS VARCHAR)) || ':', '-'),
      COALESCE(CAST("s"."street" AS VARCHAR), ''),
      ',',
      COALESCE(STRLEN(CAST("s"."se""x" AS VARCHAR)) || ':', '-'),
      COALESCE(CAST("s"."se""x" AS VARCHAR), ''),
      ',',
      COALESCE(STRLEN(CAST("s"."zip; --" AS VARCHAR)) || ':', '-'),
      COALESCE(CAST("s"."zip; --" AS VARCHAR), ''),
      ',',
      COALESCE(STRLEN(CAST("s"."age
of 👩" AS VARCHAR)) || ':', '-'),
      COALESCE(CAST("s"."age
of 👩" AS VARCHAR), ''),
      ',',
      COALESCE(STRLEN(CAST("s"."SELECT" AS VARCHAR)) || ':', '-'),
      COALESCE(CAST("s"."SELECT" AS VARCHAR), ''),
      ',',
      COALESCE(STRLEN(CAST("s"."dis'ease" AS VARCHAR)) || ':', '-'),
      COALESCE(CAST("s"."dis'ease" AS VARCHAR), ''),
      ',',
      COALESCE(STRLEN(CAST("s"."ward 🏥" AS VARCHAR)) || ':', '-'),
      COALESCE(CAST("s"."ward 🏥" AS VARCHAR), ''),
      ',',
      COALESCE(STRLEN(CAST("s"."vis.it" AS VARCHAR)) || ':', '-'),
      COALESCE(CAST("s"."vis.it" AS VARCHAR), ''),
      ','
    ) AS "row_text"
  FROM "the source; DROP TABLE x" AS s
) AS r) AS h GROUP BY row_hash) AS e GROUP BY prefix) AS p

-- postgres
SELECT SUM(row_count) AS row_count, ENCODE(SHA256(CONVERT_TO(COALESCE(STRING_AGG("heap_hash", ',' ORDER BY "heap_hash" COLLATE "C"), ''), 'UTF8')), 'hex') AS seal FROM (
  SELECT SUM(row_count) AS row_count, ENCODE(SHA256(CONVERT_TO(COALESCE(STRING_AGG("entry", ',' ORDER BY "entry" COLLATE "C"), ''), 'UTF8')), 'hex') AS "heap_hash" FROM (
  SELECT CONCAT(row_hash, ' ', COUNT(*)) AS "entry", SUBSTR(row_hash, 1, 3) AS prefix, COUNT(*) AS row_count FROM (
  SELECT ENCODE(SHA256(CONVERT_TO("row_text", 'UTF8')), 'hex') AS row_hash FROM (
  SELECT
    CONCAT(
      COALESCE(OCTET_LENGTH(CONVERT_TO(CAST("s"."who" AS TEXT), 'UTF8')) || ':', '-'),
      COALESCE(CAST("s"."who" AS TEXT), ''),
      ',',
      COALESCE(OCTET_LENGTH(CONVERT_TO(CAST("s"."na'me" AS TEXT), 'UTF8')) || ':', '-'),
      COALESCE(CAST("s"."na'me" AS TEXT), ''),
      ',',
      COALESCE(OCTET_LENGTH(CONVERT_TO(CAST("s"."s.s.n" AS TEXT), 'UTF8')) || ':', '-'),
      COALESCE(CAST("s"."s.s.n" AS TEXT), ''),
      ',',
      COALESCE(OCTET_LENGTH(CONVERT_TO(CAST("s"."street" AS TEXT), 'UTF8')) || ':', '-'),
      COALESCE(CAST("s"."street" AS TEXT), ''),
      ',',
      COALESCE(OCTET_LENGTH(CONVERT_TO(CAST("s"."se""x" AS TEXT), 'UTF8')) || ':', '-'),
      COALESCE(CAST("s"."se""x" AS TEXT), ''),
      ',',
      COALESCE(OCTET_LENGTH(CONVERT_TO(CAST("s"."zip; --" AS TEXT), 'UTF8')) || ':', '-'),
      COALESCE(CAST("s"."zip; --" AS TEXT), ''),
      ',',
      COALESCE(OCTET_LENGTH(CONVERT_TO(CAST("s"."age
of 👩" AS TEXT), 'UTF8')) || ':', '-'),
      COALESCE(CAST("s"."age
of 👩" AS TEXT), ''),
      ',',
      COALESCE(OCTET_LENGTH(CONVERT_TO(CAST("s"."SELECT" AS TEXT), 'UTF8')) || ':', '-'),
      COALESCE(CAST("s"."SELECT" AS TEXT), ''),
      ',',
      COALESCE(OCTET_LENGTH(CONVERT_TO(CAST("s"."dis'ease" AS TEXT), 'UTF8')) || ':', '-'),
      COALESCE(CAST("s"."dis'ease" AS TEXT), ''),
      ',',
      COALESCE(OCTET_LENGTH(CONVERT_TO(CAST("s"."ward 🏥" AS TEXT), 'UTF8')) || ':', '-'),
      COALESCE(CAST("s"."ward 🏥" AS TEXT), ''),
      ',',
      COALESCE(OCTET_LENGTH(CONVERT_TO(CAST("s"."vis.it" AS TEXT), 'UTF8')) || ':', '-'),
      COALESCE(CAST("s"."vis.it" AS TEXT), ''),
      ','
    ) AS "row_text"
  FROM "the source; DROP TABLE x" AS s
) AS r) AS h GROUP BY row_hash) AS e GROUP BY prefix) AS p

-- spark
SELECT SUM(row_count) AS row_count, SHA2(ARRAY_JOIN(SORT_ARRAY(COLLECT_LIST(`heap_hash`)), ','), 256) AS seal FROM (
  SELECT SUM(row_count) AS row_count, SHA2(ARRAY_JOIN(SORT_ARRAY(COLLECT_LIST(`entry`)), ','), 256) AS `heap_hash` FROM (
  SELECT CONCAT(row_hash, ' ', COUNT(*)) AS `entry`, SUBSTR(row_hash, 1, 3) AS prefix, COUNT(*) AS row_count FROM (
  SELECT SHA2(`row_text`, 256) AS row_hash FROM (
  SELECT
    CONCAT(
      COALESCE(OCTET_LENGTH(CAST(`s`.`who` AS STRING)) || ':', '-'),
      COALESCE(CAST(`s`.`who` AS STRING), ''),
      ',',
      COALESCE(OCTET_LENGTH(CAST(`s`.`na'me` AS STRING)) || ':', '-'),
      COALESCE(CAST(`s`.`na'me` AS STRING), ''),
      ',',
      COALESCE(OCTET_LENGTH(CAST(`s`.`s.s.n` AS STRING)) || ':', '-'),
      COALESCE(CAST(`s`.`s.s.n` AS STRING), ''),
      ',',
      COALESCE(OCTET_LENGTH(CAST(`s`.`street` AS STRING)) || ':', '-'),
      COALESCE(CAST(`s`.`street` AS STRING), ''),
      ',',
      COALESCE(OCTET_LENGTH(CAST(`s`.`se"x` AS STRING)) || ':', '-'),
      COALESCE(CAST(`s`.`se"x` AS STRING), ''),
      ',',
      COALESCE(OCTET_LENGTH(CAST(`s`.`zip; --` AS STRING)) || ':', '-'),
      COALESCE(CAST(`s`.`zip; --` AS STRING), ''),
      ',',
      COALESCE(OCTET_LENGTH(TO_JSON(`s`.`age
of 👩`, MAP('ignoreNullFields', 'false', 'timestampFormat', 'yyyy-MM-dd HH:mm:ss.SSSSSSXXX'))) || ':', '-'),
      COALESCE(TO_JSON(`s`.`age
of 👩`, MAP('ignoreNullFields', 'false', 'timestampFormat', 'yyyy-MM-dd HH:mm:ss.SSSSSSXXX')), ''),
      ',',
      COALESCE(OCTET_LENGTH(CAST(`s`.`SELECT` AS STRING)) || ':', '-'),
      COALESCE(CAST(`s`.`SELECT` AS STRING), ''),
      ',',
      COALESCE(OCTET_LENGTH(CAST(`s`.`dis'ease` AS STRING)) || ':', '-'),
      COALESCE(CAST(`s`.`dis'ease` AS STRING), ''),
      ',',
      COALESCE(OCTET_LENGTH(CAST(`s`.`ward 🏥` AS STRING)) || ':', '-'),
      COALESCE(CAST(`s`.`ward 🏥` AS STRING), ''),
      ',',
      COALESCE(OCTET_LENGTH(CAST(`s`.`vis.it` AS STRING)) || ':', '-'),
      COALESCE(CAST(`s`.`vis.it` AS STRING), ''),
      ','
    ) AS `row_text`
  FROM `the source; DROP TABLE x` AS s
) AS r) AS h GROUP BY row_hash) AS e GROUP BY prefix) AS p
