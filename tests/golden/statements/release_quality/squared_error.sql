-- duckdb
SELECT
  COALESCE(SUM(row_count), 0) AS row_count,
  SUM(CAST("row_count" AS DOUBLE) * (own - middle) * (own - middle)) AS squares
FROM (
  SELECT
    d.row_count,
    CAST("d"."value" AS DOUBLE) AS own,
    (CAST("i"."low" AS DOUBLE) + CAST("i"."high" AS DOUBLE)) / 2 AS middle
  FROM "domain age
of 👩" AS d
  JOIN (
    SELECT
      p.*,
      p."low_1" AS low,
      p."high_1" AS high
    FROM "complete age
of 👩" AS p
  ) AS i
    ON "d"."value" IS NOT DISTINCT FROM "i"."value"
  WHERE i.low IS NOT NULL AND i.high IS NOT NULL
) AS e

-- postgres
SELECT
  COALESCE(SUM(row_count), 0) AS row_count,
  SUM(CAST("row_count" AS DOUBLE PRECISION) * (own - middle) * (own - middle)) AS squares
FROM (
  SELECT
    d.row_count,
    CAST("d"."value" AS DOUBLE PRECISION) AS own,
    (CAST("i"."low" AS DOUBLE PRECISION) + CAST("i"."high" AS DOUBLE PRECISION)) / 2 AS middle
  FROM "domain age
of 👩" AS d
  JOIN (
    SELECT
      p.*,
      p."low_1" AS low,
      p."high_1" AS high
    FROM "complete age
of 👩" AS p
  ) AS i
    ON ARRAY["d"."value"] = ARRAY["i"."value"]
  WHERE i.low IS NOT NULL AND i.high IS NOT NULL
) AS e

-- spark
SELECT
  COALESCE(SUM(row_count), 0) AS row_count,
  SUM(CAST(`row_count` AS DOUBLE) * (own - middle) * (own - middle)) AS squares
FROM (
  SELECT
    d.row_count,
    CAST(`d`.`value` AS DOUBLE) AS own,
    (CAST(`i`.`low` AS DOUBLE) + CAST(`i`.`high` AS DOUBLE)) / 2 AS middle
  FROM `domain age
of 👩` AS d
  JOIN (
    SELECT
      p.*,
      p.`low_1` AS low,
      p.`high_1` AS high
    FROM `complete age
of 👩` AS p
  ) AS i
    ON `d`.`value` IS NOT DISTINCT FROM `i`.`value`
  WHERE i.low IS NOT NULL AND i.high IS NOT NULL
) AS e
