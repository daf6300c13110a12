-- score_by_information
CREATE TEMP TABLE "sco'red by information" AS
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
FROM "parts by information" AS p
JOIN (
  SELECT
    u.region,
    u.axis,
    u.part,
    CASE
      WHEN u.level > 0 THEN u.of_branches
      ELSE u.lower_rows * CAST(ROUND(LN("u"."lower_rows"), 9) AS DECIMAL(12, 9)) + u.upper_rows * CAST(ROUND(LN("u"."upper_or_one"), 9) AS DECIMAL(12, 9)) - u.explained - u.begun
    END AS score
  FROM (
    SELECT
      t.*,
      CASE WHEN t.upper_rows > 0 THEN t.upper_rows ELSE 1 END AS upper_or_one
    FROM (
      SELECT
        region,
        axis,
        level,
        part,
        CAST(SUM(row_count) OVER so_far AS BIGINT) AS lower_rows,
        CAST(SUM(row_count) OVER whole AS BIGINT) - CAST(SUM(row_count) OVER so_far AS BIGINT) AS upper_rows,
        CAST(SUM(changed) OVER so_far AS DECIMAL(34, 9)) AS explained,
        CAST(SUM(began) OVER whole AS DECIMAL(34, 9)) AS begun,
        CAST(SUM(of_branch) OVER whole AS DECIMAL(34, 9)) AS of_branches
      FROM (
        SELECT
          r.region,
          r.axis,
          r.level,
          r.part,
          r.row_count,
          r.changed,
          r.began,
          CAST(r.row_count * CAST(ROUND(LN("r"."row_count"), 9) AS DECIMAL(12, 9)) AS DECIMAL(33, 9)) - r.inside AS of_branch
        FROM (
          SELECT
            c.region,
            c.axis,
            MAX(c.level) AS level,
            c.part,
            CAST(SUM(c.row_count) AS BIGINT) AS row_count,
            CAST(SUM(
              c.upto * CAST(ROUND(LN("c"."upto"), 9) AS DECIMAL(12, 9)) - c.before * CAST(ROUND(LN("c"."before_or_one"), 9) AS DECIMAL(12, 9))
                + c.after * CAST(ROUND(LN("c"."after_or_one"), 9) AS DECIMAL(12, 9)) - c.onward * CAST(ROUND(LN("c"."onward"), 9) AS DECIMAL(12, 9))
            ) AS DECIMAL(33, 9)) AS changed,
            CAST(SUM(CASE WHEN c.before > 0 THEN 0 ELSE c.onward * CAST(ROUND(LN("c"."onward"), 9) AS DECIMAL(12, 9)) END) AS DECIMAL(33, 9)) AS began,
            CAST(SUM(c.row_count * CAST(ROUND(LN("c"."row_count"), 9) AS DECIMAL(12, 9))) AS DECIMAL(33, 9)) AS inside
          FROM (
            SELECT
              n.*,
              n.upto - n.row_count AS before,
              n.class_rows - n.upto AS after,
              n.class_rows - n.upto + n.row_count AS onward,
              CASE WHEN n.upto > n.row_count THEN n.upto - n.row_count ELSE 1 END AS before_or_one,
              CASE WHEN n.class_rows > n.upto THEN n.class_rows - n.upto ELSE 1 END AS after_or_one
            FROM (
              SELECT
                i.*,
                CAST(SUM(i.row_count) OVER (PARTITION BY i.region, i.axis, i.target ORDER BY i.part ROWS UNBOUNDED PRECEDING) AS BIGINT) AS upto,
                CAST(SUM(i.row_count) OVER (PARTITION BY i.region, i.axis, i.target) AS BIGINT) AS class_rows
              FROM (
                SELECT region, axis, MAX(level) AS level, part, target, CAST(SUM(row_count) AS BIGINT) AS row_count
                FROM cells AS e
                GROUP BY region, axis, part, target
              ) AS i
            ) AS n
          ) AS c
          GROUP BY c.region, c.axis, c.part
        ) AS r
      ) AS q
      WINDOW
        whole AS (PARTITION BY region, axis),
        so_far AS (PARTITION BY region, axis ORDER BY part ROWS UNBOUNDED PRECEDING)
    ) AS t
  ) AS u
) AS s
  ON s.region = p.region AND s.axis = p.axis AND s.part = p.part
