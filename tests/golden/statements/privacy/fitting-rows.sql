-- duckdb, postgres
CREATE TEMP TABLE "left-rows" AS
SELECT t.*
FROM "every-rows" AS t
WHERE (t."node", t."key_1" & CAST(3 AS BIGINT), t."key_2" & CAST(24 AS BIGINT)) IN (
  SELECT
    "node" AS "node",
    "key_1" & CAST(3 AS BIGINT) AS "key_1",
    "key_2" & CAST(24 AS BIGINT) AS "key_2"
  FROM "every-rows" AS b
  GROUP BY 1, 2, 3
  HAVING
    SUM(row_count) >= 3
)

-- spark
CREATE TEMP VIEW `left-rows` AS
SELECT t.*
FROM `every-rows` AS t
WHERE (t.`node`, t.`key_1` & CAST(3 AS BIGINT), t.`key_2` & CAST(24 AS BIGINT)) IN (
  SELECT
    `node` AS `node`,
    `key_1` & CAST(3 AS BIGINT) AS `key_1`,
    `key_2` & CAST(24 AS BIGINT) AS `key_2`
  FROM `every-rows` AS b
  GROUP BY 1, 2, 3
  HAVING
    SUM(row_count) >= 3
)
