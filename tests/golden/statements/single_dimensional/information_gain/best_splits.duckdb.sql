-- best_splits
SELECT
  r.part,
  r.low,
  r.high,
  r.place,
  r.information,
  r.all_rows
FROM (
  SELECT
    g.*,
    ROW_NUMBER() OVER (PARTITION BY g.part ORDER BY g.information DESC, g.place) AS choice
  FROM (
    SELECT
      s.part,
      s.low,
      s.high,
      s.place,
      s.all_rows,
      s.all_rows * CAST(ROUND(LN("s"."all_rows"), 9) AS DECIMAL(12, 9)) - s.lower_rows * CAST(ROUND(LN("s"."lower_rows"), 9) AS DECIMAL(12, 9))
        - s.upper_rows * CAST(ROUND(LN("s"."upper_rows"), 9) AS DECIMAL(12, 9)) + s.changes AS information
    FROM (
      SELECT
        t.part,
        t.place,
        MIN(t.place) OVER (PARTITION BY t.part) AS low,
        MAX(t.place) OVER (PARTITION BY t.part) AS high,
        CAST(SUM(t.row_count) OVER (PARTITION BY t.part) AS BIGINT) AS all_rows,
        CAST(SUM(t.row_count) OVER (PARTITION BY t.part ORDER BY t.place) AS BIGINT) AS lower_rows,
        CAST(SUM(t.row_count) OVER (PARTITION BY t.part) AS BIGINT)
          - CAST(SUM(t.row_count) OVER (PARTITION BY t.part ORDER BY t.place) AS BIGINT) AS upper_rows,
        CAST(SUM(t.change) OVER (PARTITION BY t.part ORDER BY t.place) AS DECIMAL(34, 9)) AS changes
      FROM (
        SELECT
          c.part,
          c.place,
          CAST(SUM(c.row_count) AS BIGINT) AS row_count,
          SUM(
            c.upto * CAST(ROUND(LN("c"."upto"), 9) AS DECIMAL(12, 9)) - c.before * CAST(ROUND(LN("c"."before_or_one"), 9) AS DECIMAL(12, 9))
              + c.after * CAST(ROUND(LN("c"."after_or_one"), 9) AS DECIMAL(12, 9)) - c.onward * CAST(ROUND(LN("c"."onward"), 9) AS DECIMAL(12, 9))
          ) AS change
        FROM (
          SELECT
            n.part,
            n.place,
            n.row_count,
            n.upto,
            n.upto - n.row_count AS before,
            n.class_rows - n.upto AS after,
            n.class_rows - n.upto + n.row_count AS onward,
            CASE WHEN n.upto > n.row_count THEN n.upto - n.row_count ELSE 1 END AS before_or_one,
            CASE WHEN n.class_rows > n.upto THEN n.class_rows - n.upto ELSE 1 END AS after_or_one
          FROM (
            SELECT
              i.part,
              i.place,
              i.row_count,
              CAST(SUM(i.row_count) OVER (PARTITION BY i.part, i.target ORDER BY i.place) AS BIGINT) AS upto,
              CAST(SUM(i.row_count) OVER (PARTITION BY i.part, i.target) AS BIGINT) AS class_rows
            FROM (
              SELECT
                CASE
                  WHEN m.place BETWEEN -1 AND 2147483647 THEN -1
                END AS part,
                m.place,
                m.target,
                m.row_count
              FROM "line of; --" AS m
              WHERE m.place BETWEEN -1 AND 2147483647
            ) AS i
          ) AS n
        ) AS c
        GROUP BY c.part, c.place
      ) AS t
    ) AS s
    WHERE s.upper_rows > 0
  ) AS g
) AS r
WHERE r.choice = 1
ORDER BY r.part
