-- suppressed_columns
SELECT
  suppressed,
  COUNT(*) AS classes,
  SUM(row_count) AS row_count
FROM (
  SELECT
    suppressed,
    "shown_key_1",
    "shown_key_2",
    SUM(row_count) AS row_count
  FROM "as shown" AS t
  WHERE NOT EXISTS (
    SELECT 1
    FROM "short of" AS w
    WHERE w.suppressed = t.suppressed AND w."shown_key_1" = t."shown_key_1" AND w."shown_key_2" = t."shown_key_2"
  )
  GROUP BY suppressed, "shown_key_1", "shown_key_2"
) AS c
GROUP BY suppressed
ORDER BY suppressed
