-- duckdb, postgres
CREATE TEMP TABLE "co'des-people" AS
SELECT
  CASE WHEN "p"."place_0" >= 0 THEN CAST(1 AS BIGINT) ELSE CAST(0 AS BIGINT) END
  + CASE WHEN "p"."place_0" >= 1 THEN CAST(2 AS BIGINT) ELSE CAST(0 AS BIGINT) END
  + CASE WHEN "p"."place_1" >= 1 THEN CAST(4 AS BIGINT) ELSE CAST(0 AS BIGINT) END AS "key_1",
  CASE WHEN "p"."place_1" >= 2 THEN CAST(1 AS BIGINT) ELSE CAST(0 AS BIGINT) END AS "key_2",
  p."spread_0",
  p."entity",
  CAST(SUM(p.row_count) AS BIGINT) AS row_count
FROM "pla;ces" AS p
GROUP BY 1, 2, 3, 4

-- spark
CREATE TEMP VIEW `co'des-people` AS
SELECT
  CASE WHEN `p`.`place_0` >= 0 THEN CAST(1 AS BIGINT) ELSE CAST(0 AS BIGINT) END
  + CASE WHEN `p`.`place_0` >= 1 THEN CAST(2 AS BIGINT) ELSE CAST(0 AS BIGINT) END
  + CASE WHEN `p`.`place_1` >= 1 THEN CAST(4 AS BIGINT) ELSE CAST(0 AS BIGINT) END AS `key_1`,
  CASE WHEN `p`.`place_1` >= 2 THEN CAST(1 AS BIGINT) ELSE CAST(0 AS BIGINT) END AS `key_2`,
  p.`spread_0`,
  p.`entity`,
  CAST(SUM(p.row_count) AS BIGINT) AS row_count
FROM `pla;ces` AS p
GROUP BY 1, 2, 3, 4
