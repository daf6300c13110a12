-- duckdb
CREATE TEMP VIEW "twi'ce" AS
SELECT "row_count"
FROM (
  SELECT "row_count", UNNEST(RANGE("kanon_2")) AS "kanon_0"
  FROM (
    SELECT "row_count", LEAST(2048, "kanon_2" - "kanon_0" * 2048) AS "kanon_2"
    FROM (
      SELECT "row_count", "kanon_2", UNNEST(RANGE("kanon_1")) AS "kanon_0"
      FROM (
        SELECT
          "s"."row_count" AS "row_count",
          CAST(LEAST("s"."row_count", 2) AS BIGINT) AS "kanon_2",
          CAST((LEAST("s"."row_count", 2) - 1 - MOD(LEAST("s"."row_count", 2) - 1, 2048)) / 2048 AS BIGINT) + 1 AS "kanon_1"
        FROM "frequency ""set"" 0" AS s
      ) AS w
    ) AS b
  ) AS l
) AS r

-- postgres
CREATE TEMP VIEW "twi'ce" AS
SELECT "row_count"
FROM (
  SELECT "row_count", GENERATE_SERIES(0, "kanon_2" - 1) AS "kanon_0"
  FROM (
    SELECT "row_count", LEAST(2048, "kanon_2" - "kanon_0" * 2048) AS "kanon_2"
    FROM (
      SELECT "row_count", "kanon_2", GENERATE_SERIES(0, "kanon_1" - 1) AS "kanon_0"
      FROM (
        SELECT
          "s"."row_count" AS "row_count",
          CAST(LEAST("s"."row_count", 2) AS BIGINT) AS "kanon_2",
          CAST((LEAST("s"."row_count", 2) - 1 - MOD(LEAST("s"."row_count", 2) - 1, 2048)) / 2048 AS BIGINT) + 1 AS "kanon_1"
        FROM "frequency ""set"" 0" AS s
      ) AS w
    ) AS b
  ) AS l
) AS r

-- spark
CREATE TEMP VIEW `twi'ce` AS
SELECT `row_count`
FROM (
  SELECT `row_count`, EXPLODE(SEQUENCE(CAST(0 AS BIGINT), `kanon_2` - 1)) AS `kanon_0`
  FROM (
    SELECT `row_count`, LEAST(2048, `kanon_2` - `kanon_0` * 2048) AS `kanon_2`
    FROM (
      SELECT `row_count`, `kanon_2`, EXPLODE(SEQUENCE(CAST(0 AS BIGINT), `kanon_1` - 1)) AS `kanon_0`
      FROM (
        SELECT
          `s`.`row_count` AS `row_count`,
          CAST(LEAST(`s`.`row_count`, 2) AS BIGINT) AS `kanon_2`,
          CAST((LEAST(`s`.`row_count`, 2) - 1 - MOD(LEAST(`s`.`row_count`, 2) - 1, 2048)) / 2048 AS BIGINT) + 1 AS `kanon_1`
        FROM `frequency "set" 0` AS s
      ) AS w
    ) AS b
  ) AS l
) AS r
