-- finished_branches
CREATE TEMP TABLE "en'ded" AS
SELECT
  child AS region,
  "low_0",
  "high_0",
  "width_0",
  "low_1",
  "high_1",
  "width_1",
  "low_2",
  "high_2",
  "width_2",
  row_count
FROM (
  SELECT
    child,
    "low_0",
    "high_0",
    "width_0",
    "low_1",
    "high_1",
    "width_1",
    "low_2",
    "high_2",
    "width_2",
    row_count
  FROM "branches by l'oss" AS p
  UNION ALL
  SELECT
    child,
    "low_0",
    "high_0",
    "width_0",
    "low_1",
    "high_1",
    "width_1",
    "low_2",
    "high_2",
    "width_2",
    row_count
  FROM "branches of bran'ches" AS p
) AS r
WHERE NOT EXISTS (
  SELECT 1
  FROM (
    SELECT region FROM "branches by l'oss" AS b
    UNION ALL
    SELECT region FROM "branches of bran'ches" AS b
  ) AS c
  WHERE c.region = r.child
)
