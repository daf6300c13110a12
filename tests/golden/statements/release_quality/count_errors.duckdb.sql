-- count_errors
SELECT
  COUNT(*) AS many,
  AVG(CASE WHEN 2 * spot BETWEEN many AND many + 2 THEN error END) AS median_error,
  AVG(CASE WHEN 2 * plain_spot BETWEEN many AND many + 2 THEN plain_error END) AS plain_median_error,
  MIN(CASE WHEN 10 * spot > 9 * many THEN error END) AS tenth_error
FROM (
  SELECT
    error,
    plain_error,
    ROW_NUMBER() OVER (ORDER BY error) AS spot,
    ROW_NUMBER() OVER (ORDER BY plain_error) AS plain_spot,
    COUNT(*) OVER () AS many
  FROM (
    SELECT
      ABS(COALESCE(expected, 0) - own_rows) / own_rows AS error,
      ABS(COALESCE(plain, 0) - own_rows) / own_rows AS plain_error
    FROM "measu'red cells" AS c
    WHERE own_rows >= 2
  ) AS e
) AS s
