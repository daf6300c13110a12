-- duckdb
SELECT
  COALESCE(SUM(same), 0) AS all_values,
  COALESCE(SUM(CASE WHEN same = 1 THEN 1 ELSE 0 END), 0) AS unique_values
FROM (
  SELECT COUNT(*) AS same
  FROM (
    SELECT
      COUNT(*) AS row_count,
      SUM((CAST(md5_number("row_text") & 18446744073709551615 AS UBIGINT) >> 4)) AS rows_hash
    FROM (
      SELECT
        "s"."_kanon_entity" AS "link",
        CONCAT(
          COALESCE(LENGTH(CAST("s"."se""x" AS VARCHAR)) || ':' || CAST("s"."se""x" AS VARCHAR), 'NULL'),
          ',',
          COALESCE(LENGTH(CAST("s"."zip; --" AS VARCHAR)) || ':' || CAST("s"."zip; --" AS VARCHAR), 'NULL'),
          ',',
          COALESCE(LENGTH(CAST("s"."age
of 👩_low" AS VARCHAR)) || ':' || CAST("s"."age
of 👩_low" AS VARCHAR), 'NULL'),
          ',',
          COALESCE(LENGTH(CAST("s"."age
of 👩_high" AS VARCHAR)) || ':' || CAST("s"."age
of 👩_high" AS VARCHAR), 'NULL'),
          ',',
          COALESCE(LENGTH(CAST("s"."SELECT" AS VARCHAR)) || ':' || CAST("s"."SELECT" AS VARCHAR), 'NULL'),
          ','
        ) AS "row_text"
      FROM "staged'" AS s
      WHERE "s"."_kanon_entity" IS NOT NULL
    ) AS r
    GROUP BY "link"
  ) AS h
  GROUP BY row_count, rows_hash
) AS e

-- postgres
SELECT
  COALESCE(SUM(same), 0) AS all_values,
  COALESCE(SUM(CASE WHEN same = 1 THEN 1 ELSE 0 END), 0) AS unique_values
FROM (
  SELECT COUNT(*) AS same
  FROM (
    SELECT
      COUNT(*) AS row_count,
      SUM(CAST(CAST(CONCAT('x', CONCAT(SUBSTR(MD5("row_text"), 15, 2), SUBSTR(MD5("row_text"), 13, 2), SUBSTR(MD5("row_text"), 11, 2), SUBSTR(MD5("row_text"), 9, 2), SUBSTR(MD5("row_text"), 7, 2), SUBSTR(MD5("row_text"), 5, 2), SUBSTR(MD5("row_text"), 3, 2), SUBSTR(MD5("row_text"), 1, 1))) AS BIT(60)) AS BIGINT)) AS rows_hash
    FROM (
      SELECT
        "s"."_kanon_entity" AS "link",
        CONCAT(
          COALESCE(LENGTH(CAST("s"."se""x" AS TEXT)) || ':' || CAST("s"."se""x" AS TEXT), 'NULL'),
          ',',
          COALESCE(LENGTH(CAST("s"."zip; --" AS TEXT)) || ':' || CAST("s"."zip; --" AS TEXT), 'NULL'),
          ',',
          COALESCE(LENGTH(CAST("s"."age
of 👩_low" AS TEXT)) || ':' || CAST("s"."age
of 👩_low" AS TEXT), 'NULL'),
          ',',
          COALESCE(LENGTH(CAST("s"."age
of 👩_high" AS TEXT)) || ':' || CAST("s"."age
of 👩_high" AS TEXT), 'NULL'),
          ',',
          COALESCE(LENGTH(CAST("s"."SELECT" AS TEXT)) || ':' || CAST("s"."SELECT" AS TEXT), 'NULL'),
          ','
        ) AS "row_text"
      FROM "staged'" AS s
      WHERE "s"."_kanon_entity" IS NOT NULL
    ) AS r
    GROUP BY "link"
  ) AS h
  GROUP BY row_count, rows_hash
) AS e

-- spark
SELECT
  COALESCE(SUM(same), 0) AS all_values,
  COALESCE(SUM(CASE WHEN same = 1 THEN 1 ELSE 0 END), 0) AS unique_values
FROM (
  SELECT COUNT(*) AS same
  FROM (
    SELECT
      COUNT(*) AS row_count,
      SUM(CAST(CONV(CONCAT(SUBSTR(MD5(`row_text`), 15, 2), SUBSTR(MD5(`row_text`), 13, 2), SUBSTR(MD5(`row_text`), 11, 2), SUBSTR(MD5(`row_text`), 9, 2), SUBSTR(MD5(`row_text`), 7, 2), SUBSTR(MD5(`row_text`), 5, 2), SUBSTR(MD5(`row_text`), 3, 2), SUBSTR(MD5(`row_text`), 1, 1)), 16, 10) AS DECIMAL(20, 0))) AS rows_hash
    FROM (
      SELECT
        `s`.`_kanon_entity` AS `link`,
        CONCAT(
          COALESCE(LENGTH(CAST(`s`.`se"x` AS STRING)) || ':' || CAST(`s`.`se"x` AS STRING), 'NULL'),
          ',',
          COALESCE(LENGTH(CAST(`s`.`zip; --` AS STRING)) || ':' || CAST(`s`.`zip; --` AS STRING), 'NULL'),
          ',',
          COALESCE(LENGTH(CAST(`s`.`age
of 👩_low` AS STRING)) || ':' || CAST(`s`.`age
of 👩_low` AS STRING), 'NULL'),
          ',',
          COALESCE(LENGTH(CAST(`s`.`age
of 👩_high` AS STRING)) || ':' || CAST(`s`.`age
of 👩_high` AS STRING), 'NULL'),
          ',',
          COALESCE(LENGTH(CAST(`s`.`SELECT` AS STRING)) || ':' || CAST(`s`.`SELECT` AS STRING), 'NULL'),
          ','
        ) AS `row_text`
      FROM `staged'` AS s
      WHERE `s`.`_kanon_entity` IS NOT NULL
    ) AS r
    GROUP BY `link`
  ) AS h
  GROUP BY row_count, rows_hash
) AS e
