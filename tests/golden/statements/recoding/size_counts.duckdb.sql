-- size_counts
SELECT
  class_rows,
  COUNT(*) AS classes
FROM (
  SELECT COUNT(*) AS class_rows
  FROM "staged'" AS t
  GROUP BY encode(CAST("se""x" AS VARCHAR)), encode(CAST("zip; --" AS VARCHAR)), encode(CAST("age
of 👩_low" AS VARCHAR)), encode(CAST("age
of 👩_high" AS VARCHAR)), encode(CAST("SELECT" AS VARCHAR))
) AS c
GROUP BY class_rows
