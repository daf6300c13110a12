-- duckdb, postgres
SELECT
  COUNT(*) AS classes,
  MIN(row_count) AS smallest,
  SUM(row_count * row_count) AS squares,
  SUM(row_count) AS row_count,
  SUM("width_0") AS "width_0",
  SUM("width_1") AS "width_1",
  SUM("width_2") AS "width_2"
FROM (
  SELECT
    CAST(SUM(row_count) AS BIGINT) AS row_count,
    SUM(row_count * "width_0") AS "width_0",
    SUM(row_count * "width_1") AS "width_1",
    SUM(row_count * "width_2") AS "width_2"
  FROM "box'es" AS b
  GROUP BY "low_of_0", "high_of_0", "label_of_1", "label_of_2"
) AS c

-- spark
SELECT
  COUNT(*) AS classes,
  MIN(row_count) AS smallest,
  SUM(row_count * row_count) AS squares,
  SUM(row_count) AS row_count,
  SUM(`width_0`) AS `width_0`,
  SUM(`width_1`) AS `width_1`,
  SUM(`width_2`) AS `width_2`
FROM (
  SELECT
    CAST(SUM(row_count) AS BIGINT) AS row_count,
    SUM(row_count * `width_0`) AS `width_0`,
    SUM(row_count * `width_1`) AS `width_1`,
    SUM(row_count * `width_2`) AS `width_2`
  FROM `box'es` AS b
  GROUP BY `low_of_0`, `high_of_0`, `label_of_1`, `label_of_2`
) AS c
