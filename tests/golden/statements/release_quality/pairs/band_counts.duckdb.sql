-- band_counts
SELECT
  "band_0",
  "band_1",
  hit,
  COUNT(*) AS row_count,
  COUNT(DISTINCT person) AS people
FROM (
  SELECT
    "x0"."band" AS "band_0",
    "x1"."band" AS "band_1",
    "t"."vis.it" AS person,
    CASE WHEN decode(encode(CAST("t"."se""x" AS VARCHAR))) = m.value THEN 1 ELSE 0 END AS hit
  FROM "the source; DROP TABLE x" AS t
  JOIN (
    SELECT DISTINCT
      value,
      "b"."bin" AS band
    FROM "measu'red bands 0" AS b
  ) AS "x0" ON "t"."age
of 👩" IS NOT DISTINCT FROM "x0"."value"
  JOIN (
    SELECT DISTINCT
      value,
      "b"."own" AS band
    FROM "measu'red values zip; --" AS b
  ) AS "x1" ON "t"."zip; --" IS NOT DISTINCT FROM "x1"."value"
  CROSS JOIN (
    SELECT value
    FROM (
      SELECT
        decode(encode(CAST("t"."se""x" AS VARCHAR))) AS value
      FROM "the source; DROP TABLE x" AS t
    ) AS v
    WHERE value IS NOT NULL
    GROUP BY value
    ORDER BY COUNT(*) DESC, encode(CAST("value" AS VARCHAR))
    LIMIT 1
  ) AS m
) AS r
GROUP BY "band_0", "band_1", hit
