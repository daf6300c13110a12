-- interval_tuples
CREATE TEMP TABLE "in pa'rts 0" AS
SELECT
  s.part AS region,
  s.coordinate AS place_0,
  CAST(SUM(k.row_count) AS BIGINT) AS row_count
FROM "kep't" AS k
JOIN "spo'ts 0" AS s ON s.place = "k"."place_0"
GROUP BY s.part, s.coordinate
