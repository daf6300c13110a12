-- count_keys_of_rows
SELECT
  (SELECT COUNT(*) FROM "vis;its" AS s) AS all_rows,
  COALESCE(SUM(row_count), 0) AS keyed_rows,
  COUNT(*) AS keys
FROM (
  SELECT COUNT(*) AS row_count
  FROM "vis;its" AS s
  WHERE "s"."pa.tient" IS NOT NULL AND "s"."wa;rd" IS NOT NULL
  GROUP BY "s"."pa.tient", "s"."wa;rd"
) AS k
