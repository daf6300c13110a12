-- label_pairs
SELECT
  label,
  other,
  row_count,
  COUNT(*) OVER () AS pairs
FROM (
  SELECT
    "key_0" AS label,
    "key_2" AS other,
    SUM(row_count) AS row_count
  FROM "report'ed rows" AS c
  GROUP BY "key_0", "key_2"
) AS p
ORDER BY row_count DESC, encode(CAST("label" AS VARCHAR)), encode(CAST("other" AS VARCHAR))
LIMIT 3
