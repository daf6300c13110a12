-- duckdb, postgres
CREATE TEMP TABLE "fits at once" AS
SELECT t.*
FROM "all at once" AS t
WHERE (t."node", t."key_1" & CAST(127 AS BIGINT), t."key_2" & CAST(31 AS BIGINT)) IN (
  SELECT
    "node" AS "node",
    "key_1" & CAST(127 AS BIGINT) AS "key_1",
    "key_2" & CAST(31 AS BIGINT) AS "key_2"
  FROM "all at once" AS b
  GROUP BY 1, 2, 3
  HAVING
    COUNT(DISTINCT "entity") >= 3 AND
    COUNT(DISTINCT "sensitive_1") >= 2
)

-- spark
CREATE TEMP VIEW `fits at once` AS
SELECT t.*
FROM `all at once` AS t
WHERE (t.`node`, t.`key_1` & CAST(127 AS BIGINT), t.`key_2` & CAST(31 AS BIGINT)) IN (
  SELECT
    `node` AS `node`,
    `key_1` & CAST(127 AS BIGINT) AS `key_1`,
    `key_2` & CAST(31 AS BIGINT) AS `key_2`
  FROM `all at once` AS b
  GROUP BY 1, 2, 3
  HAVING
    COUNT(DISTINCT `entity`) >= 3 AND
    COUNT(DISTINCT `sensitive_1`) >= 2
)
