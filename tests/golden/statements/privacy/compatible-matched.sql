-- duckdb
CREATE TEMP TABLE "fitting where NULL matches" AS
WITH classes AS (
  SELECT
    "b"."class_0" AS "class_0",
    "b"."class_1" AS "class_1",
    "b"."class_2" AS "class_2",
    "b"."class_3" AS "class_3",
    CASE WHEN "b"."null_0" = 1 THEN CAST(1 AS BIGINT) ELSE 0 END + CASE WHEN "b"."null_1" = 1 THEN CAST(2 AS BIGINT) ELSE 0 END + CASE WHEN "b"."null_2" = 1 THEN CAST(4 AS BIGINT) ELSE 0 END + CASE WHEN "b"."null_3" = 1 THEN CAST(8 AS BIGINT) ELSE 0 END + CAST(0 AS BIGINT) AS nulls,
    CAST(SUM(b.row_count) AS BIGINT) AS row_count
  FROM "classes where NULL matches" AS b
  GROUP BY 1, 2, 3, 4, 5
),
null_sets AS (
  SELECT DISTINCT nulls
  FROM classes
),
matched AS (
  SELECT
    c.*,
    p.nulls AS beside,
    CASE WHEN ((c.nulls | p.nulls) & CAST(1 AS BIGINT)) = 0 THEN c."class_0" END AS "part_0",
    CASE WHEN ((c.nulls | p.nulls) & CAST(2 AS BIGINT)) = 0 THEN c."class_1" END AS "part_1",
    CASE WHEN ((c.nulls | p.nulls) & CAST(4 AS BIGINT)) = 0 THEN c."class_2" END AS "part_2",
    CASE WHEN ((c.nulls | p.nulls) & CAST(8 AS BIGINT)) = 0 THEN c."class_3" END AS "part_3"
  FROM classes AS c
  CROSS JOIN null_sets AS p
),
candidates AS (
  SELECT
    c."class_0",
    c."class_1",
    c."class_2",
    c."class_3",
    c.row_count,
    CAST(SUM(o.row_count) AS BIGINT) AS candidates
  FROM matched AS c
  JOIN (
    SELECT
      m.beside AS nulls,
      m.nulls AS beside,
      m."part_0",
      m."part_1",
      m."part_2",
      m."part_3",
      SUM(m.row_count) AS row_count
    FROM matched AS m
    GROUP BY 1, 2, 3, 4, 5, 6
  ) AS o
    ON c.nulls = o.nulls AND c.beside = o.beside AND "c"."part_0" IS NOT DISTINCT FROM "o"."part_0" AND "c"."part_1" IS NOT DISTINCT FROM "o"."part_1" AND "c"."part_2" IS NOT DISTINCT FROM "o"."part_2" AND "c"."part_3" IS NOT DISTINCT FROM "o"."part_3"
  GROUP BY 1, 2, 3, 4, 5
)SELECT t.*
FROM "classes where NULL matches" AS t
WHERE (t."class_0", t."class_1", t."class_2", t."class_3") IN (
  SELECT k."class_0", k."class_1", k."class_2", k."class_3"
  FROM candidates AS k
  WHERE k.candidates >= 2
)

-- postgres
CREATE TEMP TABLE "fitting where NULL matches" AS
WITH classes AS (
  SELECT
    "b"."class_0" AS "class_0",
    "b"."class_1" AS "class_1",
    "b"."class_2" AS "class_2",
    "b"."class_3" AS "class_3",
    CASE WHEN "b"."null_0" = 1 THEN CAST(1 AS BIGINT) ELSE 0 END + CASE WHEN "b"."null_1" = 1 THEN CAST(2 AS BIGINT) ELSE 0 END + CASE WHEN "b"."null_2" = 1 THEN CAST(4 AS BIGINT) ELSE 0 END + CASE WHEN "b"."null_3" = 1 THEN CAST(8 AS BIGINT) ELSE 0 END + CAST(0 AS BIGINT) AS nulls,
    CAST(SUM(b.row_count) AS BIGINT) AS row_count
  FROM "classes where NULL matches" AS b
  GROUP BY 1, 2, 3, 4, 5
),
null_sets AS (
  SELECT DISTINCT nulls
  FROM classes
),
matched AS (
  SELECT
    c.*,
    p.nulls AS beside,
    CASE WHEN ((c.nulls | p.nulls) & CAST(1 AS BIGINT)) = 0 THEN c."class_0" END AS "part_0",
    CASE WHEN ((c.nulls | p.nulls) & CAST(2 AS BIGINT)) = 0 THEN c."class_1" END AS "part_1",
    CASE WHEN ((c.nulls | p.nulls) & CAST(4 AS BIGINT)) = 0 THEN c."class_2" END AS "part_2",
    CASE WHEN ((c.nulls | p.nulls) & CAST(8 AS BIGINT)) = 0 THEN c."class_3" END AS "part_3"
  FROM classes AS c
  CROSS JOIN null_sets AS p
),
candidates AS (
  SELECT
    c."class_0",
    c."class_1",
    c."class_2",
    c."class_3",
    c.row_count,
    CAST(SUM(o.row_count) AS BIGINT) AS candidates
  FROM matched AS c
  JOIN (
    SELECT
      m.beside AS nulls,
      m.nulls AS beside,
      m."part_0",
      m."part_1",
      m."part_2",
      m."part_3",
      SUM(m.row_count) AS row_count
    FROM matched AS m
    GROUP BY 1, 2, 3, 4, 5, 6
  ) AS o
    ON c.nulls = o.nulls AND c.beside = o.beside AND ARRAY["c"."part_0"] = ARRAY["o"."part_0"] AND ARRAY["c"."part_1"] = ARRAY["o"."part_1"] AND ARRAY["c"."part_2"] = ARRAY["o"."part_2"] AND ARRAY["c"."part_3"] = ARRAY["o"."part_3"]
  GROUP BY 1, 2, 3, 4, 5
)SELECT t.*
FROM "classes where NULL matches" AS t
WHERE (t."class_0", t."class_1", t."class_2", t."class_3") IN (
  SELECT k."class_0", k."class_1", k."class_2", k."class_3"
  FROM candidates AS k
  WHERE k.candidates >= 2
)

-- spark
CREATE TEMP VIEW `fitting where NULL matches` AS
WITH classes AS (
  SELECT
    `b`.`class_0` AS `class_0`,
    `b`.`class_1` AS `class_1`,
    `b`.`class_2` AS `class_2`,
    `b`.`class_3` AS `class_3`,
    CASE WHEN `b`.`null_0` = 1 THEN CAST(1 AS BIGINT) ELSE 0 END + CASE WHEN `b`.`null_1` = 1 THEN CAST(2 AS BIGINT) ELSE 0 END + CASE WHEN `b`.`null_2` = 1 THEN CAST(4 AS BIGINT) ELSE 0 END + CASE WHEN `b`.`null_3` = 1 THEN CAST(8 AS BIGINT) ELSE 0 END + CAST(0 AS BIGINT) AS nulls,
    CAST(SUM(b.row_count) AS BIGINT) AS row_count
  FROM `classes where NULL matches` AS b
  GROUP BY 1, 2, 3, 4, 5
),
null_sets AS (
  SELECT DISTINCT nulls
  FROM classes
),
matched AS (
  SELECT
    c.*,
    p.nulls AS beside,
    CASE WHEN ((c.nulls | p.nulls) & CAST(1 AS BIGINT)) = 0 THEN c.`class_0` END AS `part_0`,
    CASE WHEN ((c.nulls | p.nulls) & CAST(2 AS BIGINT)) = 0 THEN c.`class_1` END AS `part_1`,
    CASE WHEN ((c.nulls | p.nulls) & CAST(4 AS BIGINT)) = 0 THEN c.`class_2` END AS `part_2`,
    CASE WHEN ((c.nulls | p.nulls) & CAST(8 AS BIGINT)) = 0 THEN c.`class_3` END AS `part_3`
  FROM classes AS c
  CROSS JOIN null_sets AS p
),
candidates AS (
  SELECT
    c.`class_0`,
    c.`class_1`,
    c.`class_2`,
    c.`class_3`,
    c.row_count,
    CAST(SUM(o.row_count) AS BIGINT) AS candidates
  FROM matched AS c
  JOIN (
    SELECT
      m.beside AS nulls,
      m.nulls AS beside,
      m.`part_0`,
      m.`part_1`,
      m.`part_2`,
      m.`part_3`,
      SUM(m.row_count) AS row_count
    FROM matched AS m
    GROUP BY 1, 2, 3, 4, 5, 6
  ) AS o
    ON c.nulls = o.nulls AND c.beside = o.beside AND `c`.`part_0` IS NOT DISTINCT FROM `o`.`part_0` AND `c`.`part_1` IS NOT DISTINCT FROM `o`.`part_1` AND `c`.`part_2` IS NOT DISTINCT FROM `o`.`part_2` AND `c`.`part_3` IS NOT DISTINCT FROM `o`.`part_3`
  GROUP BY 1, 2, 3, 4, 5
)SELECT t.*
FROM `classes where NULL matches` AS t
WHERE (t.`class_0`, t.`class_1`, t.`class_2`, t.`class_3`) IN (
  SELECT k.`class_0`, k.`class_1`, k.`class_2`, k.`class_3`
  FROM candidates AS k
  WHERE k.candidates >= 2
)
