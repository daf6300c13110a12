-- score_by_variance
CREATE TEMP TABLE "sco'red by variance" AS
WITH asked AS (
  SELECT region, 0 AS axis, "width_0" AS width, 0 AS level
  FROM "re'gions" AS r
  WHERE "width_0" > 0
    AND row_count >= 4
),
cells AS (
  SELECT
    a.region,
    a.axis,
    a.width,
    a.level,
    CAST(CASE a.axis
      WHEN 0 THEN "w"."place_0"
    END AS BIGINT) AS part,
    w."target",
    w.row_count
  FROM "tuples with a tar'get" AS w
  JOIN asked AS a ON a.region = w.region
)
SELECT
  p.*,
  s.score
FROM "parts by variance" AS p
JOIN (
  SELECT
    region,
    axis,
    part,
    CASE
      WHEN level > 0 THEN -CAST(SUM(own_squares) OVER (PARTITION BY region, axis) AS BIGINT)
      ELSE -squares
    END AS score
  FROM (
    SELECT
      n.*,
      CASE
        WHEN n.lower_rows = 0 OR n.upper_rows = 0 THEN 0
        ELSE CAST(FLOOR(CAST("lower_rows" AS DOUBLE) / CAST("all_rows" AS DOUBLE) * (CAST("upper_rows" AS DOUBLE) / CAST("all_rows" AS DOUBLE))
          * (n.lower_mean - n.upper_mean) * (n.lower_mean - n.upper_mean) * 1000000000000 + 0.5) AS BIGINT)
      END AS squares,
      CASE
        WHEN n.own_rows = 0 THEN 0
        ELSE CAST(FLOOR(CAST("own_rows" AS DOUBLE) / CAST("all_rows" AS DOUBLE)
          * (n.own_mean - n.all_mean) * (n.own_mean - n.all_mean) * 1000000000000 + 0.5) AS BIGINT)
      END AS own_squares
    FROM (
      SELECT
        m.*,
        CASE WHEN m.own_rows > 0 THEN CAST("own_sum" AS DOUBLE) / CAST("own_rows" AS DOUBLE) / CAST("length" AS DOUBLE) END AS own_mean,
        CASE WHEN m.lower_rows > 0 THEN CAST("lower_sum" AS DOUBLE) / CAST("lower_rows" AS DOUBLE) / CAST("length" AS DOUBLE) END AS lower_mean,
        CASE WHEN m.upper_rows > 0 THEN CAST("upper_sum" AS DOUBLE) / CAST("upper_rows" AS DOUBLE) / CAST("length" AS DOUBLE) END AS upper_mean,
        CASE WHEN m.all_rows > 0 THEN CAST("all_sum" AS DOUBLE) / CAST("all_rows" AS DOUBLE) / CAST("length" AS DOUBLE) END AS all_mean
      FROM (
        SELECT
          b.region,
          b.axis,
          b.level,
          b.part,
          b.own_rows,
          b.lower_rows,
          b.all_rows - b.lower_rows AS upper_rows,
          b.all_rows,
          b.own_sum - b.own_rows * b.least AS own_sum,
          b.lower_sum - b.lower_rows * b.least AS lower_sum,
          b.all_sum - b.lower_sum - (b.all_rows - b.lower_rows) * b.least AS upper_sum,
          b.all_sum - b.all_rows * b.least AS all_sum,
          CASE WHEN b.greatest > b.least THEN b.greatest - b.least ELSE 1 END AS length
        FROM (
          SELECT
            region,
            axis,
            level,
            part,
            own_rows,
            own_sum,
            CAST(SUM(own_rows) OVER so_far AS BIGINT) AS lower_rows,
            CAST(SUM(own_sum) OVER so_far AS BIGINT) AS lower_sum,
            CAST(SUM(own_rows) OVER whole AS BIGINT) AS all_rows,
            CAST(SUM(own_sum) OVER whole AS BIGINT) AS all_sum,
            COALESCE(MIN(own_least) OVER whole, 0) AS least,
            COALESCE(MAX(own_greatest) OVER whole, 0) AS greatest
          FROM (
            SELECT
              region,
              axis,
              MAX(level) AS level,
              part,
              CAST(SUM(CASE WHEN target IS NULL THEN 0 ELSE row_count END) AS BIGINT) AS own_rows,
              CAST(SUM(CASE WHEN target IS NULL THEN 0 ELSE row_count * target END) AS BIGINT) AS own_sum,
              MIN(target) AS own_least,
              MAX(target) AS own_greatest
            FROM cells AS c
            GROUP BY region, axis, part
          ) AS o
          WINDOW
            whole AS (PARTITION BY region, axis),
            so_far AS (PARTITION BY region, axis ORDER BY part ROWS UNBOUNDED PRECEDING)
        ) AS b
      ) AS m
    ) AS n
  ) AS q
) AS s
  ON s.region = p.region AND s.axis = p.axis AND s.part = p.part
