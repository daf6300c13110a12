-- duckdb
CREATE TEMP TABLE "told of one'" AS
SELECT
  s.region,
  CAST(COALESCE("l0".place, -1) AS BIGINT) AS "low_0",
  CAST(COALESCE("h0".place, -1) AS BIGINT) AS "high_0",
  CASE WHEN "l0".place >= 0 THEN "s"."low_0" END AS "low_of_0",
  CASE WHEN "l0".place >= 0 THEN "s"."high_0" END AS "high_of_0"
FROM "si'des of parts" AS s
LEFT JOIN "line; 0" AS "l0" ON "l0"."value" IS NOT DISTINCT FROM "s"."low_0"
LEFT JOIN "line; 0" AS "h0" ON "h0"."value" IS NOT DISTINCT FROM "s"."high_0"
WHERE s.child IS NULL AND s.axis = 0

-- postgres
CREATE TEMP TABLE "told of one'" AS
SELECT
  s.region,
  CAST(COALESCE("l0".place, -1) AS BIGINT) AS "low_0",
  CAST(COALESCE("h0".place, -1) AS BIGINT) AS "high_0",
  CASE WHEN "l0".place >= 0 THEN "s"."low_0" END AS "low_of_0",
  CASE WHEN "l0".place >= 0 THEN "s"."high_0" END AS "high_of_0"
FROM "si'des of parts" AS s
LEFT JOIN "line; 0" AS "l0" ON ARRAY["l0"."value"] = ARRAY["s"."low_0"]
LEFT JOIN "line; 0" AS "h0" ON ARRAY["h0"."value"] = ARRAY["s"."high_0"]
WHERE s.child IS NULL AND s.axis = 0

-- spark
CREATE TEMP VIEW `told of one'` AS
SELECT
  s.region,
  CAST(COALESCE(`l0`.place, -1) AS BIGINT) AS `low_0`,
  CAST(COALESCE(`h0`.place, -1) AS BIGINT) AS `high_0`,
  CASE WHEN `l0`.place >= 0 THEN `s`.`low_0` END AS `low_of_0`,
  CASE WHEN `l0`.place >= 0 THEN `s`.`high_0` END AS `high_of_0`
FROM `si'des of parts` AS s
LEFT JOIN `line; 0` AS `l0` ON `l0`.`value` IS NOT DISTINCT FROM `s`.`low_0`
LEFT JOIN `line; 0` AS `h0` ON `h0`.`value` IS NOT DISTINCT FROM `s`.`high_0`
WHERE s.child IS NULL AND s.axis = 0
