-- rows_that_fit
SELECT COALESCE(SUM(CASE WHEN LENGTH("plain") IN (15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34) AND SUBSTRING("plain", 1, 1) IN ('A', 'B', 'C', 'D', 'E', 'F', 'G', 'H', 'I', 'J', 'K', 'L', 'M', 'N', 'O', 'P', 'Q', 'R', 'S', 'T', 'U', 'V', 'W', 'X', 'Y', 'Z') AND SUBSTRING("plain", 2, 1) IN ('A', 'B', 'C', 'D', 'E', 'F', 'G', 'H', 'I', 'J', 'K', 'L', 'M', 'N', 'O', 'P', 'Q', 'R', 'S', 'T', 'U', 'V', 'W', 'X', 'Y', 'Z') AND SUBSTRING("plain", 3, 1) IN ('0', '1', '2', '3', '4', '5', '6', '7', '8', '9') AND SUBSTRING("plain", 4, 1) IN ('0', '1', '2', '3', '4', '5', '6', '7', '8', '9') THEN 1 ELSE 0 END), 0) AS row_count
FROM (
  SELECT REPLACE(REPLACE(UPPER(TRIM(CAST("s"."na'me" AS VARCHAR))), ' ', ''), '-', '') AS plain
  FROM "the source; DROP TABLE x" AS s
) AS c
