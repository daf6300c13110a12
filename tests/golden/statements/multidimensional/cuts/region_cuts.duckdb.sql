-- region_cuts
CREATE TEMP TABLE "cuts; 0" AS
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
        SUM("first_values_0") OVER so_far AS "left_values_0",
        SUM("last_values_0") OVER whole - SUM("last_values_0") OVER so_far AS "right_values_0",
        SUM("first_values_1") OVER so_far AS "left_values_1",
        SUM("last_values_1") OVER whole - SUM("last_values_1") OVER so_far AS "right_values_1",
        SUM("first_entities") OVER so_far AS "left_entities",
        SUM("last_entities") OVER whole - SUM("last_entities") OVER so_far AS "right_entities",
        MIN("entities") OVER whole AS "least_entities",
        MIN("values_0") OVER whole AS "least_values_0",
        MIN("values_1") OVER whole AS "least_values_1",
        COUNT(*) OVER whole AS parts
      FROM "parts; 0" AS p
      WINDOW
        whole AS (PARTITION BY region, axis),
        so_far AS (PARTITION BY region, axis ORDER BY part ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
    ) AS t
  ) AS s
  WHERE parts > 1
    AND     CASE
      WHEN axis IN (2) THEN "least_entities" >= 2 AND "least_values_0" >= 2 AND "least_values_1" >= 1
      ELSE "left_entities" >= 2 AND "right_entities" >= 2 AND "left_values_0" >= 2 AND "right_values_0" >= 2 AND "left_values_1" >= 1 AND "right_values_1" >= 1
    END

) AS c
WHERE choice = 1
