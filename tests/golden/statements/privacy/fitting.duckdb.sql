-- fitting-population
CREATE TEMP TABLE "left with their people" AS
SELECT t.*
FROM "all with their people" AS t
WHERE (t."node", t."key_1" & CAST(127 AS BIGINT), t."key_2" & CAST(31 AS BIGINT)) IN (
  SELECT
    "node" AS "node",
    "key_1" & CAST(127 AS BIGINT) AS "key_1",
    "key_2" & CAST(31 AS BIGINT) AS "key_2"
  FROM (
  SELECT
    r.*,
    g."kanon_absent_rows",
    g.in_population AS "kanon_in_population"
  FROM (
    SELECT
      r.*,
      "node" AS "kanon_key_0",
      "key_1" & CAST(127 AS BIGINT) AS "kanon_key_1",
      "key_2" & CAST(31 AS BIGINT) AS "kanon_key_2"
    FROM "all with their people" AS r
  ) AS r
  LEFT JOIN (
    SELECT
      n.*,
      SUM(CASE WHEN "of_absent_rows"."is_there" IS NULL THEN n.in_population ELSE 0 END) OVER () AS "kanon_absent_rows"
    FROM (
      SELECT
        "t"."node" AS "kanon_key_0",
        "t"."key_1" & CAST(127 AS BIGINT) AS "kanon_key_1",
        "t"."key_2" & CAST(31 AS BIGINT) AS "kanon_key_2",
        CAST(SUM(row_count) AS BIGINT) AS in_population
      FROM "the with their people" AS t
      GROUP BY 1, 2, 3
    ) AS n
    LEFT JOIN (
      SELECT DISTINCT
        "t"."node" AS "kanon_key_0",
        "t"."key_1" & CAST(127 AS BIGINT) AS "kanon_key_1",
        "t"."key_2" & CAST(31 AS BIGINT) AS "kanon_key_2",
        1 AS is_there
      FROM "all with their people" AS t
    ) AS "of_absent_rows"
      ON "n"."kanon_key_0" IS NOT DISTINCT FROM "of_absent_rows"."kanon_key_0" AND "n"."kanon_key_1" IS NOT DISTINCT FROM "of_absent_rows"."kanon_key_1" AND "n"."kanon_key_2" IS NOT DISTINCT FROM "of_absent_rows"."kanon_key_2"
  ) AS g
    ON "r"."kanon_key_0" IS NOT DISTINCT FROM "g"."kanon_key_0" AND "r"."kanon_key_1" IS NOT DISTINCT FROM "g"."kanon_key_1" AND "r"."kanon_key_2" IS NOT DISTINCT FROM "g"."kanon_key_2"
) AS b
  GROUP BY 1, 2, 3
  HAVING
    COALESCE(MAX("kanon_in_population"), 0) >= 2 AND
    COALESCE(CAST(ROUND((
      1000000000 * CAST(SUM(row_count) AS DECIMAL(38, 0))
      + (NULLIF(CAST(COALESCE(MAX("kanon_in_population"), 0) AS DECIMAL(38, 0)), 0) - 1000000000 * CAST(SUM(row_count) AS DECIMAL(38, 0)) % (NULLIF(CAST(COALESCE(MAX("kanon_in_population"), 0) AS DECIMAL(38, 0)), 0))) % (NULLIF(CAST(COALESCE(MAX("kanon_in_population"), 0) AS DECIMAL(38, 0)), 0))
    ) / (NULLIF(CAST(COALESCE(MAX("kanon_in_population"), 0) AS DECIMAL(38, 0)), 0))) AS BIGINT), 1000000000000000000) <= 750000000 AND
    COALESCE(CAST(ROUND((
      1000000000 * CAST(SUM(row_count) AS DECIMAL(38, 0))
      - 1000000000 * CAST(SUM(row_count) AS DECIMAL(38, 0)) % (NULLIF(CAST(COALESCE(MAX("kanon_in_population"), 0) AS DECIMAL(38, 0)), 0))
    ) / (NULLIF(CAST(COALESCE(MAX("kanon_in_population"), 0) AS DECIMAL(38, 0)), 0))) AS BIGINT), 1000000000000000000) >= 100000000 AND
    COALESCE(MAX("kanon_absent_rows"), 0) <= 0
)
