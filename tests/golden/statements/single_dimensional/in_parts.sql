-- duckdb, postgres
CREATE TEMP TABLE "in pa'rts 0" AS
SELECT
  s.part AS region,
  s.spot AS place_0,
  CAST(SUM(k.row_count) AS BIGINT) AS row_count
FROM "kep't" AS k
JOIN "spo'ts 0" AS s ON s.place = "k"."place_0"
GROUP BY s.part, s.spot

-- spark
CREATE TEMP VIEW `in pa'rts 0` AS
SELECT
  s.part AS region,
  s.spot AS place_0,
  CAST(SUM(k.row_count) AS BIGINT) AS row_count
FROM `kep't` AS k
JOIN `spo'ts 0` AS s ON s.place = `k`.`place_0`
GROUP BY s.part, s.spot
