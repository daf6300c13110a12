-- duckdb, postgres
CREATE TEMP TABLE "left again" AS
SELECT t.*
FROM "left" AS t
WHERE (t."node", t."key_1" & CAST(127 AS BIGINT), t."key_2" & CAST(31 AS BIGINT)) IN (
  SELECT
    "node" AS "node",
    "key_1" & CAST(127 AS BIGINT) AS "key_1",
    "key_2" & CAST(31 AS BIGINT) AS "key_2"
  FROM "left" AS b
  GROUP BY 1, 2, 3
  HAVING
    COUNT(DISTINCT "entity") >= 2
) AND (t."node", t."key_1" & CAST(3 AS BIGINT), t."key_2" & CAST(24 AS BIGINT)) IN (
  SELECT
    "node" AS "node",
    "key_1" & CAST(3 AS BIGINT) AS "key_1",
    "key_2" & CAST(24 AS BIGINT) AS "key_2"
  FROM "left" AS b
  GROUP BY 1, 2, 3
  HAVING
    COUNT(DISTINCT "sensitive_1") >= 2
) AND (t."node", t."key_1" & CAST(28 AS BIGINT)) IN (
  SELECT
    "node" AS "node",
    "key_1" & CAST(28 AS BIGINT) AS "key_1"
  FROM "left" AS b
  GROUP BY 1, 2
  HAVING
    COUNT(DISTINCT "entity") >= 3
)

-- spark
CREATE TEMP VIEW `left again` AS
SELECT t.*
FROM `left` AS t
WHERE (t.`node`, t.`key_1` & CAST(127 AS BIGINT), t.`key_2` & CAST(31 AS BIGINT)) IN (
  SELECT
    `node` AS `node`,
    `key_1` & CAST(127 AS BIGINT) AS `key_1`,
    `key_2` & CAST(31 AS BIGINT) AS `key_2`
  FROM `left` AS b
  GROUP BY 1, 2, 3
  HAVING
    COUNT(DISTINCT `entity`) >= 2
) AND (t.`node`, t.`key_1` & CAST(3 AS BIGINT), t.`key_2` & CAST(24 AS BIGINT)) IN (
  SELECT
    `node` AS `node`,
    `key_1` & CAST(3 AS BIGINT) AS `key_1`,
    `key_2` & CAST(24 AS BIGINT) AS `key_2`
  FROM `left` AS b
  GROUP BY 1, 2, 3
  HAVING
    COUNT(DISTINCT `sensitive_1`) >= 2
) AND (t.`node`, t.`key_1` & CAST(28 AS BIGINT)) IN (
  SELECT
    `node` AS `node`,
    `key_1` & CAST(28 AS BIGINT) AS `key_1`
  FROM `left` AS b
  GROUP BY 1, 2
  HAVING
    COUNT(DISTINCT `entity`) >= 3
)
