-- unique_sets
SELECT
  COALESCE(SUM(same), 0) AS all_values,
  COALESCE(SUM(CASE WHEN same = 1 THEN 1 ELSE 0 END), 0) AS unique_values
FROM (
  SELECT COUNT(*) AS same
  FROM (
    SELECT
      COUNT(*) AS row_count,
      SUM(CAST(HASH(encode(CAST("s"."se""x" AS VARCHAR)), encode(CAST("s"."zip; --" AS VARCHAR)), encode(CAST("s"."age
of 👩_low" AS VARCHAR)), encode(CAST("s"."age
of 👩_high" AS VARCHAR)), encode(CAST("s"."SELECT" AS VARCHAR))) AS HUGEINT)) AS rows_hash
    FROM "staged'" AS s
    WHERE "s"."_kanon_entity" IS NOT NULL
    GROUP BY "s"."_kanon_entity"
  ) AS h
  GROUP BY row_count, rows_hash
) AS e
