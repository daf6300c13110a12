-- duckdb, postgres
CREATE TEMP TABLE "as shown-rows" AS
SELECT
  COALESCE(o.blanked, 0) AS "blanked",
  c."key_1"
    - (c."key_1" & CASE WHEN (o.blanked & 2) <> 0 THEN CAST(24 AS BIGINT) ELSE 0 END) AS "shown_key_1",
  c."key_2"
    - (c."key_2" & CASE WHEN (o.blanked & 4) <> 0 THEN CAST(6 AS BIGINT) ELSE 0 END) AS "shown_key_2",
  c."key_1",
  c."key_2",
  c."row_count"
FROM "classes at-rows" AS c
LEFT JOIN (
  SELECT
    "key_1",
    "key_2",
    MAX(blanked) AS blanked
  FROM "blanks of-rows" AS t
  GROUP BY "key_1", "key_2"
) AS o
  ON o."key_1" = c."key_1" AND o."key_2" = c."key_2"

-- spark
CREATE TEMP VIEW `as shown-rows` AS
SELECT
  COALESCE(o.blanked, 0) AS `blanked`,
  c.`key_1`
    - (c.`key_1` & CASE WHEN (o.blanked & 2) <> 0 THEN CAST(24 AS BIGINT) ELSE 0 END) AS `shown_key_1`,
  c.`key_2`
    - (c.`key_2` & CASE WHEN (o.blanked & 4) <> 0 THEN CAST(6 AS BIGINT) ELSE 0 END) AS `shown_key_2`,
  c.`key_1`,
  c.`key_2`,
  c.`row_count`
FROM `classes at-rows` AS c
LEFT JOIN (
  SELECT
    `key_1`,
    `key_2`,
    MAX(blanked) AS blanked
  FROM `blanks of-rows` AS t
  GROUP BY `key_1`, `key_2`
) AS o
  ON o.`key_1` = c.`key_1` AND o.`key_2` = c.`key_2`
