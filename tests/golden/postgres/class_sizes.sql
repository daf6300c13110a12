SELECT
  band,
  COUNT(*) AS classes,
  SUM(class_rows) AS row_count
FROM (
  SELECT
    class_rows,
    CASE
      WHEN class_rows < 2 THEN 0
      WHEN class_rows < 5 THEN 1
      WHEN class_rows < 10 THEN 2
      WHEN class_rows < 25 THEN 3
      WHEN class_rows < 100 THEN 4
      ELSE 5
    END AS band
  FROM (
    SELECT COUNT(*) AS class_rows
    FROM "staged'" AS t
    GROUP BY "se""x", "zip; --", "age
of 👩_low", "age
of 👩_high", "SELECT"
  ) AS c
) AS b
GROUP BY band
ORDER BY band
