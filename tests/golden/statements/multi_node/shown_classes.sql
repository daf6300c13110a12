-- duckdb, postgres
CREATE TEMP TABLE "and labels of" AS
SELECT
  "q0".label AS "label_0",
  "q0".leaves AS "leaves_0",
  "q0".row_count AS "shared_0",
  "q1".label AS "label_1",
  "q1".leaves AS "leaves_1",
  "q1".row_count AS "shared_1",
  "q2".label AS "label_2",
  "q2".leaves AS "leaves_2",
  "q2".row_count AS "shared_2",
  "q3".label AS "label_3",
  "q3".leaves AS "leaves_3",
  "q3".row_count AS "shared_3",
  c.entity,
  c.row_count
FROM (
  SELECT
    "blanked",
    "shown_key_1",
    "shown_key_2",
    entity,
    CAST(SUM(row_count) AS BIGINT) AS row_count
  FROM "as shown" AS t
  WHERE NOT EXISTS (
    SELECT 1
    FROM "short of" AS w
    WHERE w."blanked" = t."blanked" AND w."shown_key_1" = t."shown_key_1" AND w."shown_key_2" = t."shown_key_2"
  )
  GROUP BY "blanked", "shown_key_1", "shown_key_2", entity
) AS c
JOIN "labels; --" AS "q0"
  ON "q0".item = CASE WHEN (c."blanked" & 1) <> 0 THEN 1 ELSE 1 END AND "q0"."key_1" = (c."shown_key_1" & CAST(0 AS BIGINT)) AND "q0"."key_2" = (c."shown_key_2" & CAST(0 AS BIGINT))
JOIN "labels; --" AS "q1"
  ON "q1".item = CASE WHEN (c."blanked" & 2) <> 0 THEN 4 ELSE 3 END AND "q1"."key_1" = (c."shown_key_1" & CAST(24 AS BIGINT)) AND "q1"."key_2" = (c."shown_key_2" & CAST(0 AS BIGINT))
JOIN "labels; --" AS "q2"
  ON "q2".item = CASE WHEN (c."blanked" & 4) <> 0 THEN 8 ELSE 7 END AND "q2"."key_1" = (c."shown_key_1" & CAST(0 AS BIGINT)) AND "q2"."key_2" = (c."shown_key_2" & CAST(6 AS BIGINT))
JOIN "labels; --" AS "q3"
  ON "q3".item = CASE WHEN (c."blanked" & 8) <> 0 THEN 11 ELSE 11 END AND "q3"."key_1" = (c."shown_key_1" & CAST(0 AS BIGINT)) AND "q3"."key_2" = (c."shown_key_2" & CAST(0 AS BIGINT))

-- spark
CREATE TEMP VIEW `and labels of` AS
SELECT
  `q0`.label AS `label_0`,
  `q0`.leaves AS `leaves_0`,
  `q0`.row_count AS `shared_0`,
  `q1`.label AS `label_1`,
  `q1`.leaves AS `leaves_1`,
  `q1`.row_count AS `shared_1`,
  `q2`.label AS `label_2`,
  `q2`.leaves AS `leaves_2`,
  `q2`.row_count AS `shared_2`,
  `q3`.label AS `label_3`,
  `q3`.leaves AS `leaves_3`,
  `q3`.row_count AS `shared_3`,
  c.entity,
  c.row_count
FROM (
  SELECT
    `blanked`,
    `shown_key_1`,
    `shown_key_2`,
    entity,
    CAST(SUM(row_count) AS BIGINT) AS row_count
  FROM `as shown` AS t
  WHERE NOT EXISTS (
    SELECT 1
    FROM `short of` AS w
    WHERE w.`blanked` = t.`blanked` AND w.`shown_key_1` = t.`shown_key_1` AND w.`shown_key_2` = t.`shown_key_2`
  )
  GROUP BY `blanked`, `shown_key_1`, `shown_key_2`, entity
) AS c
JOIN `labels; --` AS `q0`
  ON `q0`.item = CASE WHEN (c.`blanked` & 1) <> 0 THEN 1 ELSE 1 END AND `q0`.`key_1` = (c.`shown_key_1` & CAST(0 AS BIGINT)) AND `q0`.`key_2` = (c.`shown_key_2` & CAST(0 AS BIGINT))
JOIN `labels; --` AS `q1`
  ON `q1`.item = CASE WHEN (c.`blanked` & 2) <> 0 THEN 4 ELSE 3 END AND `q1`.`key_1` = (c.`shown_key_1` & CAST(24 AS BIGINT)) AND `q1`.`key_2` = (c.`shown_key_2` & CAST(0 AS BIGINT))
JOIN `labels; --` AS `q2`
  ON `q2`.item = CASE WHEN (c.`blanked` & 4) <> 0 THEN 8 ELSE 7 END AND `q2`.`key_1` = (c.`shown_key_1` & CAST(0 AS BIGINT)) AND `q2`.`key_2` = (c.`shown_key_2` & CAST(6 AS BIGINT))
JOIN `labels; --` AS `q3`
  ON `q3`.item = CASE WHEN (c.`blanked` & 8) <> 0 THEN 11 ELSE 11 END AND `q3`.`key_1` = (c.`shown_key_1` & CAST(0 AS BIGINT)) AND `q3`.`key_2` = (c.`shown_key_2` & CAST(0 AS BIGINT))
