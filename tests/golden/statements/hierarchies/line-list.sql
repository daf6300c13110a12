-- duckdb
CREATE TEMP TABLE "line; 3" AS
SELECT
  value,
  place,
  measure,
  MAX(measure) OVER () - MIN(measure) OVER () AS span
FROM (
  SELECT
    value,
    CAST(CASE WHEN value IS NULL THEN -1 WHEN spot IS NOT NULL THEN nth END AS INTEGER) AS place,
    CASE WHEN spot IS NOT NULL THEN CAST("nth" AS DOUBLE) END AS measure
  FROM (
    SELECT
      value,
      spot,
      DENSE_RANK() OVER (ORDER BY CASE WHEN spot IS NULL THEN 1 ELSE 0 END, spot) - 1 AS nth
    FROM (
      SELECT
        d.value,
        l.spot
      FROM "domain SELECT" AS d
      LEFT JOIN (
        VALUES
          ('nurse', 0),
          ('co''ok', 1),
          ('cook', 2),
          ('clerk', 3)
      ) AS l (listed_text, spot) ON decode(encode(CAST("d"."value" AS VARCHAR))) = "l"."listed_text"
    ) AS s
  ) AS r
) AS m

-- postgres
CREATE TEMP TABLE "line; 3" AS
SELECT
  value,
  place,
  measure,
  MAX(measure) OVER () - MIN(measure) OVER () AS span
FROM (
  SELECT
    value,
    CAST(CASE WHEN value IS NULL THEN -1 WHEN spot IS NOT NULL THEN nth END AS INTEGER) AS place,
    CASE WHEN spot IS NOT NULL THEN CAST("nth" AS DOUBLE PRECISION) END AS measure
  FROM (
    SELECT
      value,
      spot,
      DENSE_RANK() OVER (ORDER BY CASE WHEN spot IS NULL THEN 1 ELSE 0 END, spot) - 1 AS nth
    FROM (
      SELECT
        d.value,
        l.spot
      FROM "domain SELECT" AS d
      LEFT JOIN (
        VALUES
          ('nurse', 0),
          ('co''ok', 1),
          ('cook', 2),
          ('clerk', 3)
      ) AS l (listed_text, spot) ON (CAST("d"."value" AS TEXT) COLLATE "default") = "l"."listed_text"
    ) AS s
  ) AS r
) AS m

-- spark
CREATE TEMP VIEW `line; 3` AS
SELECT
  value,
  place,
  measure,
  MAX(measure) OVER () - MIN(measure) OVER () AS span
FROM (
  SELECT
    value,
    CAST(CASE WHEN value IS NULL THEN -1 WHEN spot IS NOT NULL THEN nth END AS INTEGER) AS place,
    CASE WHEN spot IS NOT NULL THEN CAST(`nth` AS DOUBLE) END AS measure
  FROM (
    SELECT
      value,
      spot,
      DENSE_RANK() OVER (ORDER BY CASE WHEN spot IS NULL THEN 1 ELSE 0 END, spot) - 1 AS nth
    FROM (
      SELECT
        d.value,
        l.spot
      FROM `domain SELECT` AS d
      LEFT JOIN (
        VALUES
          ('nurse', 0),
          ('co\'ok', 1),
          ('cook', 2),
          ('clerk', 3)
      ) AS l (listed_text, spot) ON (CAST(`d`.`value` AS STRING) COLLATE UTF8_BINARY) = `l`.`listed_text`
    ) AS s
  ) AS r
) AS m
