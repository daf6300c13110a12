-- leaf_rows
CREATE TEMP TABLE "leaf ro'ws" AS
SELECT region, CAST(SUM(row_count) AS BIGINT) AS row_count
FROM "mer'ged" AS w
GROUP BY region
