-- duckdb, postgres
CREATE TEMP TABLE "blanking 2" AS
SELECT
  b."class_0",
  b."class_1",
  b."class_2",
  b."class_3",
  b.members,
  b.blanked + COALESCE(w.bit, 0) AS blanked
FROM "blanking 1" AS b
LEFT JOIN (
  SELECT
    n.*,
    ROW_NUMBER() OVER (PARTITION BY "class_0", "class_1", "class_2", "class_3" ORDER BY n.outliers DESC, n.bit) AS place
  FROM (
    SELECT
      t."class_0",
      t."class_1",
      t."class_2",
      t."class_3",
      v.bit,
      COUNT(*) AS outliers
    FROM "blanking 1" AS t
    CROSS JOIN (VALUES (CAST(1 AS BIGINT)), (CAST(2 AS BIGINT)), (CAST(4 AS BIGINT)), (CAST(8 AS BIGINT))) AS v (bit)
    WHERE (t.members & t.blanked) = 0 AND (t.members & v.bit) <> 0
    GROUP BY t."class_0", t."class_1", t."class_2", t."class_3", v.bit
  ) AS n
) AS w
  ON w.place = 1 AND w."class_0" = b."class_0" AND w."class_1" = b."class_1" AND w."class_2" = b."class_2" AND w."class_3" = b."class_3"

-- spark
CREATE TEMP VIEW `blanking 2` AS
SELECT
  b.`class_0`,
  b.`class_1`,
  b.`class_2`,
  b.`class_3`,
  b.members,
  b.blanked + COALESCE(w.bit, 0) AS blanked
FROM `blanking 1` AS b
LEFT JOIN (
  SELECT
    n.*,
    ROW_NUMBER() OVER (PARTITION BY `class_0`, `class_1`, `class_2`, `class_3` ORDER BY n.outliers DESC, n.bit) AS place
  FROM (
    SELECT
      t.`class_0`,
      t.`class_1`,
      t.`class_2`,
      t.`class_3`,
      v.bit,
      COUNT(*) AS outliers
    FROM `blanking 1` AS t
    CROSS JOIN (VALUES (CAST(1 AS BIGINT)), (CAST(2 AS BIGINT)), (CAST(4 AS BIGINT)), (CAST(8 AS BIGINT))) AS v (bit)
    WHERE (t.members & t.blanked) = 0 AND (t.members & v.bit) <> 0
    GROUP BY t.`class_0`, t.`class_1`, t.`class_2`, t.`class_3`, v.bit
  ) AS n
) AS w
  ON w.place = 1 AND w.`class_0` = b.`class_0` AND w.`class_1` = b.`class_1` AND w.`class_2` = b.`class_2` AND w.`class_3` = b.`class_3`
