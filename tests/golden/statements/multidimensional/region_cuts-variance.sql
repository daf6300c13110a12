-- duckdb, postgres
CREATE TEMP TABLE "cut by variance" AS
SELECT region, axis, level, part
FROM (
  SELECT
    s.*,
    ROW_NUMBER() OVER (PARTITION BY region ORDER BY score, width DESC, axis, ABS(left_rows - right_rows), part) AS choice
  FROM (
    SELECT
      t.*,
      all_rows - left_rows AS right_rows
    FROM (
      SELECT
        region,
        axis,
        width,
        level,
        part,
        score,
        SUM(row_count) OVER so_far AS left_rows,
        SUM(row_count) OVER whole AS all_rows,
        MIN("row_count") OVER whole AS "least_rows",
        COUNT(*) OVER whole AS parts
      FROM "sco'red by variance" AS p
      WINDOW
        whole AS (PARTITION BY region, axis),
        so_far AS (PARTITION BY region, axis ORDER BY part ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
    ) AS t
  ) AS s
  WHERE parts > 1
    AND "left_rows" >= 2 AND "right_rows" >= 2
) AS c
WHERE choice = 1

-- spark
CREATE TEMP VIEW `cut by variance` AS
SELECT region, axis, level, part
FROM (
  SELECT
    s.*,
    ROW_NUMBER() OVER (PARTITION BY region ORDER BY score, width DESC, axis, ABS(left_rows - right_rows), part) AS choice
  FROM (
    SELECT
      t.*,
      all_rows - left_rows AS right_rows
    FROM (
      SELECT
        region,
        axis,
        width,
        level,
        part,
        score,
        SUM(row_count) OVER so_far AS left_rows,
        SUM(row_count) OVER whole AS all_rows,
        MIN(`row_count`) OVER whole AS `least_rows`,
        COUNT(*) OVER whole AS parts
      FROM `sco'red by variance` AS p
      WINDOW
        whole AS (PARTITION BY region, axis),
        so_far AS (PARTITION BY region, axis ORDER BY part ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
    ) AS t
  ) AS s
  WHERE parts > 1
    AND `left_rows` >= 2 AND `right_rows` >= 2
) AS c
WHERE choice = 1
