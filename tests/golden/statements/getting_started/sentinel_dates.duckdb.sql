-- sentinel_dates
SELECT
  0 AS number,
  COALESCE(SUM(CASE WHEN day_text = '1900-01-01' THEN row_count ELSE 0 END), 0) AS "day_0",
  COALESCE(SUM(CASE WHEN day_text = '1901-01-01' THEN row_count ELSE 0 END), 0) AS "day_1",
  COALESCE(SUM(CASE WHEN day_text = '1899-12-31' THEN row_count ELSE 0 END), 0) AS "day_2",
  COALESCE(SUM(CASE WHEN day_text = '1899-12-30' THEN row_count ELSE 0 END), 0) AS "day_3",
  COALESCE(SUM(CASE WHEN day_text = '1800-01-01' THEN row_count ELSE 0 END), 0) AS "day_4",
  COALESCE(SUM(CASE WHEN day_text = '1753-01-01' THEN row_count ELSE 0 END), 0) AS "day_5",
  COALESCE(SUM(CASE WHEN day_text = '1111-11-11' THEN row_count ELSE 0 END), 0) AS "day_6",
  COALESCE(SUM(CASE WHEN day_text = '0001-01-01' THEN row_count ELSE 0 END), 0) AS "day_7",
  COALESCE(SUM(CASE WHEN day_text = '1970-01-01' THEN row_count ELSE 0 END), 0) AS "day_8",
  COALESCE(SUM(CASE WHEN day_text = '2099-12-31' THEN row_count ELSE 0 END), 0) AS "day_9",
  COALESCE(SUM(CASE WHEN day_text = '2999-12-31' THEN row_count ELSE 0 END), 0) AS "day_10",
  COALESCE(SUM(CASE WHEN day_text = '9999-01-01' THEN row_count ELSE 0 END), 0) AS "day_11",
  COALESCE(SUM(CASE WHEN day_text = '9999-12-01' THEN row_count ELSE 0 END), 0) AS "day_12",
  COALESCE(SUM(CASE WHEN day_text = '9999-12-31' THEN row_count ELSE 0 END), 0) AS "day_13",
  COALESCE(SUM(CASE WHEN day_text = 'infinity' THEN row_count ELSE 0 END), 0) AS "day_14",
  COALESCE(SUM(CASE WHEN day_text = '-infinity' THEN row_count ELSE 0 END), 0) AS "day_15"
FROM (
  SELECT SUBSTR(label, 1, 10) AS day_text, row_count
  FROM (
    SELECT CAST("s"."vis.it" AS VARCHAR) AS label, COUNT(*) AS row_count
    FROM "the source; DROP TABLE x" AS s
    GROUP BY CAST("s"."vis.it" AS VARCHAR)
  ) AS v
) AS d
ORDER BY number
