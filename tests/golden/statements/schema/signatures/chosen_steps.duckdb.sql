-- chosen_steps
CREATE TEMP TABLE "sig;ned chosen" AS
SELECT
  t.class_id,
  t.step
FROM (
  SELECT
    c.class_id,
    c.step,
    ROW_NUMBER() OVER (
      PARTITION BY c.class_id
      ORDER BY
        CASE WHEN c.removed * 9 <= c.times * 1 THEN 0 ELSE c.removed END,
        c.step
    ) AS place
  FROM (
    SELECT
      g.class_id,
      g.step,
      SUM(g.emptied * g.times) AS removed,
      SUM(g.people * g.times) AS times
    FROM "sig;ned groups" AS g
    GROUP BY g.class_id, g.step
  ) AS c
) AS t
WHERE t.place = 1
