-- survivors
CREATE TEMP TABLE "surv""ivors" AS
SELECT
  c.node,
  c.last_quasi,
  c.parent_1,
  c.parent_2
FROM "cand;idates" AS c
WHERE NOT EXISTS (
  SELECT 1
  FROM "failed --" AS f
  WHERE CAST(f.value AS BIGINT) = c.node
)
