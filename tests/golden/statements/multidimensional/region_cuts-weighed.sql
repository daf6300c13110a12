-- duckdb, postgres
CREATE TEMP TABLE "cuts weigh'ed" AS
SELECT region, axis, level, part
FROM (
  SELECT
    s.*,
    ROW_NUMBER() OVER (PARTITION BY region ORDER BY width DESC, axis, ABS(left_rows - right_rows), part) AS choice
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
        SUM(row_count) OVER so_far AS left_rows,
        SUM(row_count) OVER whole AS all_rows,
        MIN("row_count") OVER whole AS "least_rows",
        COUNT(*) OVER whole AS parts
      FROM "parts weigh'ed" AS p
      WINDOW
        whole AS (PARTITION BY region, axis),
        so_far AS (PARTITION BY region, axis ORDER BY part ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
    ) AS t
  ) AS s
  WHERE parts > 1
    AND CASE
      WHEN axis IN (2) THEN "least_rows" >= 2
      ELSE "left_rows" >= 2 AND "right_rows" >= 2
    END

    AND EXISTS (SELECT 1 FROM "fit'ting" AS f WHERE f.region = s.region AND f.axis = s.axis AND f.part = CASE WHEN s.axis IN (2) THEN 0 ELSE s.part END)

) AS c
WHERE choice = 1

-- spark
CREATE TEMP VIEW `cuts weigh'ed` AS
SELECT region, axis, level, part
FROM (
  SELECT
    s.*,
    ROW_NUMBER() OVER (PARTITION BY region ORDER BY width DESC, axis, ABS(left_rows - right_rows), part) AS choice
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
        SUM(row_count) OVER so_far AS left_rows,
        SUM(row_count) OVER whole AS all_rows,
        MIN(`row_count`) OVER whole AS `least_rows`,
        COUNT(*) OVER whole AS parts
      FROM `parts weigh'ed` AS p
      WINDOW
        whole AS (PARTITION BY region, axis),
        so_far AS (PARTITION BY region, axis ORDER BY part ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
    ) AS t
  ) AS s
  WHERE parts > 1
    AND CASE
      WHEN axis IN (2) THEN `least_rows` >= 2
      ELSE `left_rows` >= 2 AND `right_rows` >= 2
    END

    AND EXISTS (SELECT 1 FROM `fit'ting` AS f WHERE f.region = s.region AND f.axis = s.axis AND f.part = CASE WHEN s.axis IN (2) THEN 0 ELSE s.part END)

) AS c
WHERE choice = 1
