-- duckdb
SELECT
  class_size,
  COUNT(*) AS classes,
  SUM(class_rows) AS row_count
FROM (
  SELECT
    COUNT(*) AS class_size,
    SUM(person_rows) AS class_rows
  FROM (
    SELECT
      COUNT(*) AS person_rows,
      SUM((CAST(md5_number("row_text") & 18446744073709551615 AS UBIGINT) >> 4)) AS rows_hash
    FROM (
      SELECT
        "s"."who" AS person,
        CONCAT(
          COALESCE(LENGTH(CAST("s"."se""x" AS VARCHAR)) || ':' || CAST("s"."se""x" AS VARCHAR), 'NULL'),
          ',',
          COALESCE(LENGTH(CAST("s"."zip; --" AS VARCHAR)) || ':' || CAST("s"."zip; --" AS VARCHAR), 'NULL'),
          ','
        ) AS row_text
      FROM "the source; DROP TABLE x" AS s
    ) AS r
    GROUP BY person
  ) AS h
  GROUP BY person_rows, rows_hash
) AS e
GROUP BY class_size
ORDER BY class_size

-- postgres
SELECT
  class_size,
  COUNT(*) AS classes,
  SUM(class_rows) AS row_count
FROM (
  SELECT
    COUNT(*) AS class_size,
    SUM(person_rows) AS class_rows
  FROM (
    SELECT
      COUNT(*) AS person_rows,
      SUM(CAST(CAST(CONCAT('x', CONCAT(SUBSTR(MD5("row_text"), 15, 2), SUBSTR(MD5("row_text"), 13, 2), SUBSTR(MD5("row_text"), 11, 2), SUBSTR(MD5("row_text"), 9, 2), SUBSTR(MD5("row_text"), 7, 2), SUBSTR(MD5("row_text"), 5, 2), SUBSTR(MD5("row_text"), 3, 2), SUBSTR(MD5("row_text"), 1, 1))) AS BIT(60)) AS BIGINT)) AS rows_hash
    FROM (
      SELECT
        "s"."who" AS person,
        CONCAT(
          COALESCE(LENGTH(CAST("s"."se""x" AS TEXT)) || ':' || CAST("s"."se""x" AS TEXT), 'NULL'),
          ',',
          COALESCE(LENGTH(CAST("s"."zip; --" AS TEXT)) || ':' || CAST("s"."zip; --" AS TEXT), 'NULL'),
          ','
        ) AS row_text
      FROM "the source; DROP TABLE x" AS s
    ) AS r
    GROUP BY person
  ) AS h
  GROUP BY person_rows, rows_hash
) AS e
GROUP BY class_size
ORDER BY class_size

-- spark
SELECT
  class_size,
  COUNT(*) AS classes,
  SUM(class_rows) AS row_count
FROM (
  SELECT
    COUNT(*) AS class_size,
    SUM(person_rows) AS class_rows
  FROM (
    SELECT
      COUNT(*) AS person_rows,
      SUM(CAST(CONV(CONCAT(SUBSTR(MD5(`row_text`), 15, 2), SUBSTR(MD5(`row_text`), 13, 2), SUBSTR(MD5(`row_text`), 11, 2), SUBSTR(MD5(`row_text`), 9, 2), SUBSTR(MD5(`row_text`), 7, 2), SUBSTR(MD5(`row_text`), 5, 2), SUBSTR(MD5(`row_text`), 3, 2), SUBSTR(MD5(`row_text`), 1, 1)), 16, 10) AS DECIMAL(20, 0))) AS rows_hash
    FROM (
      SELECT
        `s`.`who` AS person,
        CONCAT(
          COALESCE(LENGTH(CAST(`s`.`se"x` AS STRING)) || ':' || CAST(`s`.`se"x` AS STRING), 'NULL'),
          ',',
          COALESCE(LENGTH(CAST(`s`.`zip; --` AS STRING)) || ':' || CAST(`s`.`zip; --` AS STRING), 'NULL'),
          ','
        ) AS row_text
      FROM `the source; DROP TABLE x` AS s
    ) AS r
    GROUP BY person
  ) AS h
  GROUP BY person_rows, rows_hash
) AS e
GROUP BY class_size
ORDER BY class_size
