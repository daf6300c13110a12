-- all_paths
CREATE TEMP TABLE "all written" AS
SELECT
  '0' AS quasi,
  value,
  "level_1",
  NULL AS "level_2"FROM (
  VALUES
    ('F', 'person'),
    ('M', 'person')
) AS p (value, "level_1")
UNION ALL
SELECT
  '2' AS quasi,
  value,
  "level_1",
  "level_2"FROM "copied" AS p
