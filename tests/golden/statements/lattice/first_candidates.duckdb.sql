-- first_candidates
CREATE TEMP TABLE "cand;idates" AS
SELECT
  node,
  quasi AS last_quasi,
  CAST(0 AS BIGINT) AS parent_1,
  CAST(0 AS BIGINT) AS parent_2
FROM "levels" AS l
