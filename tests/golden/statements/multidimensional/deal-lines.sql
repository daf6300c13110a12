-- duckdb, postgres
CREATE TEMP TABLE "dealt lines" AS
SELECT
  b.child AS region,
  "w"."place_0",
  "w"."place_1",
  "w"."spread_0",
  "w"."spread_1",
  LEAST(w.up_to, b.high) - GREATEST(w.up_to - w.row_count, b.low) AS row_count
FROM (
  SELECT
    w.*,
    CASE a.axis WHEN 0 THEN "w"."place_0" WHEN 1 THEN "w"."place_1" END AS place,
    CAST(SUM(w.row_count) OVER (
      PARTITION BY w.region
      ORDER BY CASE a.axis WHEN 0 THEN "w"."place_0" WHEN 1 THEN "w"."place_1" END, COALESCE("w"."place_0", 0), COALESCE("w"."place_1", 0), COALESCE("w"."spread_0", 0), COALESCE("w"."spread_1", 0)
      ROWS UNBOUNDED PRECEDING
    ) AS BIGINT) AS up_to
  FROM "wor'king" AS w
  JOIN (SELECT region, MIN(axis) AS axis FROM "branches of rows" AS b GROUP BY region) AS a ON a.region = w.region
) AS w
JOIN "branches of rows" AS b
  ON b.region = w.region
  AND w.up_to > b.low AND w.up_to - w.row_count < b.high

-- spark
CREATE TEMP VIEW `dealt lines` AS
SELECT
  b.child AS region,
  `w`.`place_0`,
  `w`.`place_1`,
  `w`.`spread_0`,
  `w`.`spread_1`,
  LEAST(w.up_to, b.high) - GREATEST(w.up_to - w.row_count, b.low) AS row_count
FROM (
  SELECT
    w.*,
    CASE a.axis WHEN 0 THEN `w`.`place_0` WHEN 1 THEN `w`.`place_1` END AS place,
    CAST(SUM(w.row_count) OVER (
      PARTITION BY w.region
      ORDER BY CASE a.axis WHEN 0 THEN `w`.`place_0` WHEN 1 THEN `w`.`place_1` END, COALESCE(`w`.`place_0`, 0), COALESCE(`w`.`place_1`, 0), COALESCE(`w`.`spread_0`, 0), COALESCE(`w`.`spread_1`, 0)
      ROWS UNBOUNDED PRECEDING
    ) AS BIGINT) AS up_to
  FROM `wor'king` AS w
  JOIN (SELECT region, MIN(axis) AS axis FROM `branches of rows` AS b GROUP BY region) AS a ON a.region = w.region
) AS w
JOIN `branches of rows` AS b
  ON b.region = w.region
  AND w.up_to > b.low AND w.up_to - w.row_count < b.high
