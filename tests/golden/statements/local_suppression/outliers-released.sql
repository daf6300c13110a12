-- duckdb, postgres
CREATE TEMP TABLE "blanking 1" AS
SELECT
  t."class_0",
  t."class_1",
  t."class_2",
  t."class_3",
  t.members,
  CAST(0 AS BIGINT) AS blanked
FROM (
  SELECT DISTINCT
    c."class_0",
    c."class_0" & v."mask_0" AS "mask_0",
    c."class_1",
    c."class_1" & v."mask_1" AS "mask_1",
    c."class_2",
    c."class_2" & v."mask_2" AS "mask_2",
    c."class_3",
    c."class_3" & v."mask_3" AS "mask_3",
    v.members
  FROM "blanking 0" AS c
  CROSS JOIN (
    VALUES
      (CAST(3 AS BIGINT), CAST(-1 AS BIGINT), CAST(-1 AS BIGINT), CAST(0 AS BIGINT), CAST(0 AS BIGINT)),
      (CAST(14 AS BIGINT), CAST(0 AS BIGINT), CAST(-1 AS BIGINT), CAST(-1 AS BIGINT), CAST(-1 AS BIGINT)),
      (CAST(12 AS BIGINT), CAST(0 AS BIGINT), CAST(0 AS BIGINT), CAST(-1 AS BIGINT), CAST(-1 AS BIGINT))
  ) AS v (members, "mask_0", "mask_1", "mask_2", "mask_3")
) AS t
JOIN (
  SELECT
    v.members,
    c."class_0" & v."mask_0" AS "mask_0",
    c."class_1" & v."mask_1" AS "mask_1",
    c."class_2" & v."mask_2" AS "mask_2",
    c."class_3" & v."mask_3" AS "mask_3"
  FROM "blanking 0" AS c
  CROSS JOIN (
    VALUES
      (CAST(3 AS BIGINT), CAST(-1 AS BIGINT), CAST(-1 AS BIGINT), CAST(0 AS BIGINT), CAST(0 AS BIGINT)),
      (CAST(14 AS BIGINT), CAST(0 AS BIGINT), CAST(-1 AS BIGINT), CAST(-1 AS BIGINT), CAST(-1 AS BIGINT)),
      (CAST(12 AS BIGINT), CAST(0 AS BIGINT), CAST(0 AS BIGINT), CAST(-1 AS BIGINT), CAST(-1 AS BIGINT))
  ) AS v (members, "mask_0", "mask_1", "mask_2", "mask_3")
  GROUP BY 1, 2, 3, 4, 5
  HAVING NOT (
    COUNT(DISTINCT "entity") >= 2 AND
    COUNT(DISTINCT "spread_0") >= 2 AND
    COUNT(DISTINCT "spread_1")
      + MAX(CASE WHEN "spread_1" IS NULL THEN 1 ELSE 0 END) >= 1
  )
) AS o
  ON o.members = t.members AND o."mask_0" = t."mask_0" AND o."mask_1" = t."mask_1" AND o."mask_2" = t."mask_2" AND o."mask_3" = t."mask_3"

-- spark
CREATE TEMP VIEW `blanking 1` AS
SELECT
  t.`class_0`,
  t.`class_1`,
  t.`class_2`,
  t.`class_3`,
  t.members,
  CAST(0 AS BIGINT) AS blanked
FROM (
  SELECT DISTINCT
    c.`class_0`,
    c.`class_0` & v.`mask_0` AS `mask_0`,
    c.`class_1`,
    c.`class_1` & v.`mask_1` AS `mask_1`,
    c.`class_2`,
    c.`class_2` & v.`mask_2` AS `mask_2`,
    c.`class_3`,
    c.`class_3` & v.`mask_3` AS `mask_3`,
    v.members
  FROM `blanking 0` AS c
  CROSS JOIN (
    VALUES
      (CAST(3 AS BIGINT), CAST(-1 AS BIGINT), CAST(-1 AS BIGINT), CAST(0 AS BIGINT), CAST(0 AS BIGINT)),
      (CAST(14 AS BIGINT), CAST(0 AS BIGINT), CAST(-1 AS BIGINT), CAST(-1 AS BIGINT), CAST(-1 AS BIGINT)),
      (CAST(12 AS BIGINT), CAST(0 AS BIGINT), CAST(0 AS BIGINT), CAST(-1 AS BIGINT), CAST(-1 AS BIGINT))
  ) AS v (members, `mask_0`, `mask_1`, `mask_2`, `mask_3`)
) AS t
JOIN (
  SELECT
    v.members,
    c.`class_0` & v.`mask_0` AS `mask_0`,
    c.`class_1` & v.`mask_1` AS `mask_1`,
    c.`class_2` & v.`mask_2` AS `mask_2`,
    c.`class_3` & v.`mask_3` AS `mask_3`
  FROM `blanking 0` AS c
  CROSS JOIN (
    VALUES
      (CAST(3 AS BIGINT), CAST(-1 AS BIGINT), CAST(-1 AS BIGINT), CAST(0 AS BIGINT), CAST(0 AS BIGINT)),
      (CAST(14 AS BIGINT), CAST(0 AS BIGINT), CAST(-1 AS BIGINT), CAST(-1 AS BIGINT), CAST(-1 AS BIGINT)),
      (CAST(12 AS BIGINT), CAST(0 AS BIGINT), CAST(0 AS BIGINT), CAST(-1 AS BIGINT), CAST(-1 AS BIGINT))
  ) AS v (members, `mask_0`, `mask_1`, `mask_2`, `mask_3`)
  GROUP BY 1, 2, 3, 4, 5
  HAVING NOT (
    COUNT(DISTINCT `entity`) >= 2 AND
    COUNT(DISTINCT `spread_0`) >= 2 AND
    COUNT(DISTINCT `spread_1`)
      + MAX(CASE WHEN `spread_1` IS NULL THEN 1 ELSE 0 END) >= 1
  )
) AS o
  ON o.members = t.members AND o.`mask_0` = t.`mask_0` AND o.`mask_1` = t.`mask_1` AND o.`mask_2` = t.`mask_2` AND o.`mask_3` = t.`mask_3`
