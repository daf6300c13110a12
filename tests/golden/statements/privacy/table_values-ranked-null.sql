-- duckdb, postgres
CREATE TEMP TABLE "values' counts 3" AS
SELECT
  value,
  value_rows,
  CASE WHEN unplaced = 0 THEN table_rows END AS table_rows,
  table_values,
  place,
  rows_up_to,
  SUM(rows_up_to) OVER (ORDER BY place ROWS UNBOUNDED PRECEDING) - rows_up_to AS sum_before,
  SUM(rows_up_to) OVER () AS sum_of_all
FROM (
  SELECT
    v.*,
    SUM(value_rows) OVER (ORDER BY place ROWS UNBOUNDED PRECEDING) AS rows_up_to
  FROM (
SELECT
  "sensitive_2" AS value,
  SUM(row_count) AS value_rows,
  SUM(SUM(row_count)) OVER () AS table_rows,
  COUNT(*) OVER () AS table_values,
  ROW_NUMBER() OVER (ORDER BY "sensitive_2") - 1 AS place,
  SUM(0) OVER () AS unplaced
FROM "frequency ""set"" 2" AS t
GROUP BY "sensitive_2"
  ) AS v
) AS u

-- spark
CREATE TEMP VIEW `values' counts 3` AS
SELECT
  value,
  value_rows,
  CASE WHEN unplaced = 0 THEN table_rows END AS table_rows,
  table_values,
  place,
  rows_up_to,
  SUM(rows_up_to) OVER (ORDER BY place ROWS UNBOUNDED PRECEDING) - rows_up_to AS sum_before,
  SUM(rows_up_to) OVER () AS sum_of_all
FROM (
  SELECT
    v.*,
    SUM(value_rows) OVER (ORDER BY place ROWS UNBOUNDED PRECEDING) AS rows_up_to
  FROM (
SELECT
  `sensitive_2` AS value,
  SUM(row_count) AS value_rows,
  SUM(SUM(row_count)) OVER () AS table_rows,
  COUNT(*) OVER () AS table_values,
  ROW_NUMBER() OVER (ORDER BY `sensitive_2`) - 1 AS place,
  SUM(0) OVER () AS unplaced
FROM `frequency "set" 2` AS t
GROUP BY `sensitive_2`
  ) AS v
) AS u
