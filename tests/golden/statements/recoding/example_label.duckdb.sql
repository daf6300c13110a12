-- example_label-weighted
SELECT
  r."released_1"
FROM (
  SELECT
    decode(encode(CAST("label" AS VARCHAR))) AS "mapped_1",
    COUNT(*) AS source_values
  FROM "released zip; --" AS v
  WHERE "label" IS NOT NULL
  GROUP BY decode(encode(CAST("label" AS VARCHAR)))
) AS m
JOIN (
  SELECT
    decode("k"."key_1") AS "released_1",
    released_rows,
    released_size
  FROM (
    SELECT
      encode(CAST("t"."zip; --" AS VARCHAR)) AS "key_1",
      CAST(SUM("t"."rows""") AS BIGINT) AS released_rows,
      CAST(SUM("t"."rows""") AS BIGINT) AS released_size
    FROM "staged 'classes" AS t
    GROUP BY encode(CAST("t"."zip; --" AS VARCHAR))
  ) AS k
) AS r
  ON "r"."released_1" IS NOT DISTINCT FROM "m"."mapped_1"
WHERE m.source_values > 1 AND r.released_size >= 2
ORDER BY r.released_rows DESC, (CAST(md5_number("r"."released_1") & 18446744073709551615 AS UBIGINT) >> 4)
LIMIT 1
