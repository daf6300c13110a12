-- duckdb
CREATE TEMP TABLE "keyed box'es" AS
SELECT
  r.region,
  CASE WHEN r."low_0" >= 0 THEN "l0".value END AS "low_of_0",
  CASE WHEN r."low_0" >= 0 THEN "h0".value END AS "high_of_0",
  CAST(FLOOR(r."width_0" * 1000000000 + 0.5) AS BIGINT) AS "width_0",
  CASE
    WHEN r."low_1" < 0 AND r."high_1" >= 0 THEN '*'
    WHEN "l1".value = "h1".value THEN "l1".value
    ELSE '[' || "l1".value || ', ' || "h1".value || ']'
  END AS "label_of_1",
  CAST(FLOOR(r."width_1" * 1000000000 + 0.5) AS BIGINT) AS "width_1",
  "t2".label AS "label_of_2",
  CAST(FLOOR(r."width_2" * 1000000000 + 0.5) AS BIGINT) AS "width_2",
  r.least_key,
  r.greatest_key,
  r.row_count
FROM "keyed en'ds" AS r
JOIN (SELECT place, MIN(value) AS value FROM "line; 0" AS a GROUP BY place) AS "l0" ON "l0".place = r."low_0"
JOIN (SELECT place, MAX(value) AS value FROM "line; 0" AS a GROUP BY place) AS "h0" ON "h0".place = r."high_0"
JOIN (SELECT place, MIN(CAST("a"."value" AS VARCHAR)) AS value FROM "line; 2" AS a GROUP BY place) AS "l1" ON "l1".place = r."low_1"
JOIN (SELECT place, MAX(CAST("a"."value" AS VARCHAR)) AS value FROM "line; 2" AS a GROUP BY place) AS "h1" ON "h1".place = r."high_1"
JOIN "no'des" AS "t2" ON "t2".level = r."level_2" AND "t2".node = r."node_2"

-- postgres
CREATE TEMP TABLE "keyed box'es" AS
SELECT
  r.region,
  CASE WHEN r."low_0" >= 0 THEN "l0".value END AS "low_of_0",
  CASE WHEN r."low_0" >= 0 THEN "h0".value END AS "high_of_0",
  CAST(FLOOR(r."width_0" * 1000000000 + 0.5) AS BIGINT) AS "width_0",
  CASE
    WHEN r."low_1" < 0 AND r."high_1" >= 0 THEN '*'
    WHEN "l1".value = "h1".value THEN "l1".value
    ELSE '[' || "l1".value || ', ' || "h1".value || ']'
  END AS "label_of_1",
  CAST(FLOOR(r."width_1" * 1000000000 + 0.5) AS BIGINT) AS "width_1",
  "t2".label AS "label_of_2",
  CAST(FLOOR(r."width_2" * 1000000000 + 0.5) AS BIGINT) AS "width_2",
  r.least_key,
  r.greatest_key,
  r.row_count
FROM "keyed en'ds" AS r
JOIN (SELECT place, MIN(value) AS value FROM "line; 0" AS a GROUP BY place) AS "l0" ON "l0".place = r."low_0"
JOIN (SELECT place, MAX(value) AS value FROM "line; 0" AS a GROUP BY place) AS "h0" ON "h0".place = r."high_0"
JOIN (SELECT place, MIN(CAST("a"."value" AS TEXT)) AS value FROM "line; 2" AS a GROUP BY place) AS "l1" ON "l1".place = r."low_1"
JOIN (SELECT place, MAX(CAST("a"."value" AS TEXT)) AS value FROM "line; 2" AS a GROUP BY place) AS "h1" ON "h1".place = r."high_1"
JOIN "no'des" AS "t2" ON "t2".level = r."level_2" AND "t2".node = r."node_2"

-- spark
CREATE TEMP VIEW `keyed box'es` AS
SELECT
  r.region,
  CASE WHEN r.`low_0` >= 0 THEN `l0`.value END AS `low_of_0`,
  CASE WHEN r.`low_0` >= 0 THEN `h0`.value END AS `high_of_0`,
  CAST(FLOOR(r.`width_0` * 1000000000 + 0.5) AS BIGINT) AS `width_0`,
  CASE
    WHEN r.`low_1` < 0 AND r.`high_1` >= 0 THEN '*'
    WHEN `l1`.value = `h1`.value THEN `l1`.value
    ELSE '[' || `l1`.value || ', ' || `h1`.value || ']'
  END AS `label_of_1`,
  CAST(FLOOR(r.`width_1` * 1000000000 + 0.5) AS BIGINT) AS `width_1`,
  `t2`.label AS `label_of_2`,
  CAST(FLOOR(r.`width_2` * 1000000000 + 0.5) AS BIGINT) AS `width_2`,
  r.least_key,
  r.greatest_key,
  r.row_count
FROM `keyed en'ds` AS r
JOIN (SELECT place, MIN(value) AS value FROM `line; 0` AS a GROUP BY place) AS `l0` ON `l0`.place = r.`low_0`
JOIN (SELECT place, MAX(value) AS value FROM `line; 0` AS a GROUP BY place) AS `h0` ON `h0`.place = r.`high_0`
JOIN (SELECT place, MIN(CAST(`a`.`value` AS STRING)) AS value FROM `line; 2` AS a GROUP BY place) AS `l1` ON `l1`.place = r.`low_1`
JOIN (SELECT place, MAX(CAST(`a`.`value` AS STRING)) AS value FROM `line; 2` AS a GROUP BY place) AS `h1` ON `h1`.place = r.`high_1`
JOIN `no'des` AS `t2` ON `t2`.level = r.`level_2` AND `t2`.node = r.`node_2`
