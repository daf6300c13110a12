-- duckdb
SELECT
  COUNT(*) AS row_count,
  SUM((CAST(md5_number("row_text") & 18446744073709551615 AS UBIGINT) >> 4)) AS fingerprint
FROM (
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
) AS r

-- postgres
SELECT
  COUNT(*) AS row_count,
  SUM(CAST(CAST(CONCAT('x', CONCAT(SUBSTR(MD5("row_text"), 15, 2), SUBSTR(MD5("row_text"), 13, 2), SUBSTR(MD5("row_text"), 11, 2), SUBSTR(MD5("row_text"), 9, 2), SUBSTR(MD5("row_text"), 7, 2), SUBSTR(MD5("row_text"), 5, 2), SUBSTR(MD5("row_text"), 3, 2), SUBSTR(MD5("row_text"), 1, 1))) AS BIT(60)) AS BIGINT)) AS fingerprint
FROM (
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
) AS r

-- spark
SELECT
  COUNT(*) AS row_count,
  SUM(CAST(CONV(CONCAT(SUBSTR(MD5(`row_text`), 15, 2), SUBSTR(MD5(`row_text`), 13, 2), SUBSTR(MD5(`row_text`), 11, 2), SUBSTR(MD5(`row_text`), 9, 2), SUBSTR(MD5(`row_text`), 7, 2), SUBSTR(MD5(`row_text`), 5, 2), SUBSTR(MD5(`row_text`), 3, 2), SUBSTR(MD5(`row_text`), 1, 1)), 16, 10) AS DECIMAL(20, 0))) AS fingerprint
FROM (
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
      COALESCE(OCTET_LENGTH(CAST(`s`.`age
of 👩` AS STRING)) || ':', '-'),
      COALESCE(CAST(`s`.`age
of 👩` AS STRING), ''),
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
) AS r
