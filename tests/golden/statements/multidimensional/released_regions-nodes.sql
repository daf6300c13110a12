-- duckdb
CREATE TEMP TABLE "in no'des" AS
SELECT
  r.region,
  CASE
    WHEN r."low_0" < 0 AND r."high_0" >= 0 THEN '*'
    WHEN "l0".value = "h0".value THEN "l0".value
    ELSE '[' || "l0".value || ', ' || "h0".value || ']'
  END AS "label_of_0",
  CAST(FLOOR(r."width_0" * 1000000000 + 0.5) AS BIGINT) AS "width_0",
  "c1".label AS "label_of_1",
  CAST(FLOOR("c1".share * 1000000000 + 0.5) AS BIGINT) AS "width_1",
  "t2".label AS "label_of_2",
  CAST(FLOOR(r."width_2" * 1000000000 + 0.5) AS BIGINT) AS "width_2",
  r.row_count
FROM "en'ds" AS r
JOIN (SELECT place, MIN(CAST("a"."value" AS VARCHAR)) AS value FROM "line; 0" AS a GROUP BY place) AS "l0" ON "l0".place = r."low_0"
JOIN (SELECT place, MAX(CAST("a"."value" AS VARCHAR)) AS value FROM "line; 0" AS a GROUP BY place) AS "h0" ON "h0".place = r."high_0"
JOIN "cover'ing" AS "c1" ON "c1".region = r.region
JOIN "no'des" AS "t2" ON "t2".level = r."level_2" AND "t2".node = r."node_2"

-- postgres
CREATE TEMP TABLE "in no'des" AS
SELECT
  r.region,
  CASE
    WHEN r."low_0" < 0 AND r."high_0" >= 0 THEN '*'
    WHEN "l0".value = "h0".value THEN "l0".value
    ELSE '[' || "l0".value || ', ' || "h0".value || ']'
  END AS "label_of_0",
  CAST(FLOOR(r."width_0" * 1000000000 + 0.5) AS BIGINT) AS "width_0",
  "c1".label AS "label_of_1",
  CAST(FLOOR("c1".share * 1000000000 + 0.5) AS BIGINT) AS "width_1",
  "t2".label AS "label_of_2",
  CAST(FLOOR(r."width_2" * 1000000000 + 0.5) AS BIGINT) AS "width_2",
  r.row_count
FROM "en'ds" AS r
JOIN (SELECT place, MIN(CAST("a"."value" AS TEXT)) AS value FROM "line; 0" AS a GROUP BY place) AS "l0" ON "l0".place = r."low_0"
JOIN (SELECT place, MAX(CAST("a"."value" AS TEXT)) AS value FROM "line; 0" AS a GROUP BY place) AS "h0" ON "h0".place = r."high_0"
JOIN "cover'ing" AS "c1" ON "c1".region = r.region
JOIN "no'des" AS "t2" ON "t2".level = r."level_2" AND "t2".node = r."node_2"

-- spark
CREATE TEMP VIEW `in no'des` AS
SELECT
  r.region,
  CASE
    WHEN r.`low_0` < 0 AND r.`high_0` >= 0 THEN '*'
    WHEN `l0`.value = `h0`.value THEN `l0`.value
    ELSE '[' || `l0`.value || ', ' || `h0`.value || ']'
  END AS `label_of_0`,
  CAST(FLOOR(r.`width_0` * 1000000000 + 0.5) AS BIGINT) AS `width_0`,
  `c1`.label AS `label_of_1`,
  CAST(FLOOR(`c1`.share * 1000000000 + 0.5) AS BIGINT) AS `width_1`,
  `t2`.label AS `label_of_2`,
  CAST(FLOOR(r.`width_2` * 1000000000 + 0.5) AS BIGINT) AS `width_2`,
  r.row_count
FROM `en'ds` AS r
JOIN (SELECT place, MIN(CAST(`a`.`value` AS STRING)) AS value FROM `line; 0` AS a GROUP BY place) AS `l0` ON `l0`.place = r.`low_0`
JOIN (SELECT place, MAX(CAST(`a`.`value` AS STRING)) AS value FROM `line; 0` AS a GROUP BY place) AS `h0` ON `h0`.place = r.`high_0`
JOIN `cover'ing` AS `c1` ON `c1`.region = r.region
JOIN `no'des` AS `t2` ON `t2`.level = r.`level_2` AND `t2`.node = r.`node_2`
