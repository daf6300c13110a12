-- duckdb, postgres
CREATE TEMP TABLE "fits-rows at once" AS
SELECT t.*
FROM "all-rows at once" AS t
WHERE (t."node", t."key_1" & CAST(127 AS BIGINT), t."key_2" & CAST(31 AS BIGINT)) IN (
  SELECT
    "node" AS "node",
    "key_1" & CAST(127 AS BIGINT) AS "key_1",
    "key_2" & CAST(31 AS BIGINT) AS "key_2"
  FROM "all-rows at once" AS b
  GROUP BY 1, 2, 3
  HAVING
    SUM(row_count) >= 2
)

-- spark
CREATE TEMP VIEW `fits-rows at once` AS
SELECT t.*
FROM `all-rows at once` AS t
WHERE (t.`node`, t.`key_1` & CAST(127 AS BIGINT), t.`key_2` & CAST(31 AS BIGINT)) IN (
  SELECT
    `node` AS `node`,
    `key_1` & CAST(127 AS BIGINT) AS `key_1`,
    `key_2` & CAST(31 AS BIGINT) AS `key_2`
  FROM `all-rows at once` AS b
  GROUP BY 1, 2, 3
  HAVING
    SUM(row_count) >= 2
)
