-- class_sizes
SELECT
  band,
  COUNT(*) AS classes,
  SUM(class_rows) AS row_count
FROM (
  SELECT
    class_rows,
    CASE
      WHEN class_size < 2 THEN 0
      WHEN class_size < 5 THEN 1
      WHEN class_size < 10 THEN 2
      WHEN class_size < 25 THEN 3
      WHEN class_size < 100 THEN 4
      ELSE 5
    END AS band
  FROM (
    SELECT
      COUNT(*) AS class_rows,
      COUNT(*) AS class_size
    FROM "staged'" AS t
    GROUP BY encode(CAST("t"."se""x" AS VARCHAR)), encode(CAST("t"."zip; --" AS VARCHAR)), encode(CAST("t"."age
of 👩_low" AS VARCHAR)), encode(CAST("t"."age
of 👩_high" AS VARCHAR)), encode(CAST("t"."SELECT" AS VARCHAR))
  ) AS c
) AS b
GROUP BY band
ORDER BY band
