-- node_gains
CREATE TEMP TABLE "gains of; --" AS
SELECT
  c.node,
  CAST(SUM(c.row_count) AS BIGINT) AS row_count,
  SUM(c.row_count * (CAST(ROUND(LN("c"."row_count"), 9) AS DECIMAL(12, 9)) - CAST(ROUND(LN("c"."child_rows"), 9) AS DECIMAL(12, 9)) - CAST(ROUND(LN("c"."class_rows"), 9) AS DECIMAL(12, 9)) + CAST(ROUND(LN("c"."node_rows"), 9) AS DECIMAL(12, 9)))) AS gain
FROM (
  SELECT
    t.node,
    t.row_count,
    CAST(SUM(t.row_count) OVER (PARTITION BY t.node, t.child) AS BIGINT) AS child_rows,
    CAST(SUM(t.row_count) OVER (PARTITION BY t.node, t.target) AS BIGINT) AS class_rows,
    CAST(SUM(t.row_count) OVER (PARTITION BY t.node) AS BIGINT) AS node_rows
  FROM (
    SELECT
      u.node,
      u.child,
      u.target,
      CAST(SUM(u.row_count) AS BIGINT) AS row_count
    FROM (
      SELECT
        l."node_1" AS node,
        l."node_0" AS child,
        m.target,
        m.row_count
      FROM "counts of; --" AS m
      JOIN "up of; --" AS l ON l.place = m.place
      WHERE l."node_1" IS NOT NULL
      UNION ALL
      SELECT
        l."node_2" AS node,
        l."node_1" AS child,
        m.target,
        m.row_count
      FROM "counts of; --" AS m
      JOIN "up of; --" AS l ON l.place = m.place
      WHERE l."node_2" IS NOT NULL
    ) AS u
    GROUP BY u.node, u.child, u.target
  ) AS t
) AS c
GROUP BY c.node
