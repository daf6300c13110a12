-- duckdb
WITH classes AS (
  SELECT
    encode(CAST("b"."se""x" AS VARCHAR)) AS "kanon_class_0",
    encode(CAST("b"."zip; --" AS VARCHAR)) AS "kanon_class_1",
    encode(CAST("b"."age
of 👩_low" AS VARCHAR)) AS "kanon_class_2",
    encode(CAST("b"."age
of 👩_high" AS VARCHAR)) AS "kanon_class_3",
    encode(CAST("b"."SELECT" AS VARCHAR)) AS "kanon_class_4",
    CASE WHEN "b"."se""x" IS NULL THEN CAST(1 AS BIGINT) ELSE 0 END + CASE WHEN "b"."zip; --" IS NULL THEN CAST(2 AS BIGINT) ELSE 0 END + CASE WHEN "b"."age
of 👩_low" IS NULL THEN CAST(4 AS BIGINT) ELSE 0 END + CASE WHEN "b"."age
of 👩_high" IS NULL THEN CAST(8 AS BIGINT) ELSE 0 END + CASE WHEN "b"."SELECT" IS NULL THEN CAST(16 AS BIGINT) ELSE 0 END + CAST(0 AS BIGINT) AS nulls,
    CAST(COUNT(*) AS BIGINT) AS row_count
  FROM "staged'" AS b
  GROUP BY 1, 2, 3, 4, 5, 6
),
null_sets AS (
  SELECT DISTINCT nulls
  FROM classes
),
matched AS (
  SELECT
    c.*,
    p.nulls AS beside,
    CASE WHEN ((c.nulls | p.nulls) & CAST(1 AS BIGINT)) = 0 THEN c."kanon_class_0" END AS "part_0",
    CASE WHEN ((c.nulls | p.nulls) & CAST(2 AS BIGINT)) = 0 THEN c."kanon_class_1" END AS "part_1",
    CASE WHEN ((c.nulls | p.nulls) & CAST(4 AS BIGINT)) = 0 THEN c."kanon_class_2" END AS "part_2",
    CASE WHEN ((c.nulls | p.nulls) & CAST(8 AS BIGINT)) = 0 THEN c."kanon_class_3" END AS "part_3",
    CASE WHEN ((c.nulls | p.nulls) & CAST(16 AS BIGINT)) = 0 THEN c."kanon_class_4" END AS "part_4"
  FROM classes AS c
  CROSS JOIN null_sets AS p
),
candidates AS (
  SELECT
    c."kanon_class_0",
    c."kanon_class_1",
    c."kanon_class_2",
    c."kanon_class_3",
    c."kanon_class_4",
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
      m."part_4",
      SUM(m.row_count) AS row_count
    FROM matched AS m
    GROUP BY 1, 2, 3, 4, 5, 6, 7
  ) AS o
    ON c.nulls = o.nulls AND c.beside = o.beside AND "c"."part_0" IS NOT DISTINCT FROM "o"."part_0" AND "c"."part_1" IS NOT DISTINCT FROM "o"."part_1" AND "c"."part_2" IS NOT DISTINCT FROM "o"."part_2" AND "c"."part_3" IS NOT DISTINCT FROM "o"."part_3" AND "c"."part_4" IS NOT DISTINCT FROM "o"."part_4"
  GROUP BY 1, 2, 3, 4, 5, 6
)SELECT
  COUNT(*) AS class_count,
  COALESCE(SUM(k.row_count), 0) AS row_count,
  MIN(k.candidates) AS smallest_class,
  COALESCE(SUM(CASE WHEN k.candidates >= 2 THEN 0 ELSE 1 END), 0) AS short_classes
FROM candidates AS k

-- postgres
WITH classes AS (
  SELECT
    (CAST("b"."se""x" AS TEXT) COLLATE "C") AS "kanon_class_0",
    (CAST("b"."zip; --" AS TEXT) COLLATE "C") AS "kanon_class_1",
    (CAST("b"."age
of 👩_low" AS TEXT) COLLATE "C") AS "kanon_class_2",
    (CAST("b"."age
of 👩_high" AS TEXT) COLLATE "C") AS "kanon_class_3",
    (CAST("b"."SELECT" AS TEXT) COLLATE "C") AS "kanon_class_4",
    CASE WHEN "b"."se""x" IS NULL THEN CAST(1 AS BIGINT) ELSE 0 END + CASE WHEN "b"."zip; --" IS NULL THEN CAST(2 AS BIGINT) ELSE 0 END + CASE WHEN "b"."age
of 👩_low" IS NULL THEN CAST(4 AS BIGINT) ELSE 0 END + CASE WHEN "b"."age
of 👩_high" IS NULL THEN CAST(8 AS BIGINT) ELSE 0 END + CASE WHEN "b"."SELECT" IS NULL THEN CAST(16 AS BIGINT) ELSE 0 END + CAST(0 AS BIGINT) AS nulls,
    CAST(COUNT(*) AS BIGINT) AS row_count
  FROM "staged'" AS b
  GROUP BY 1, 2, 3, 4, 5, 6
),
null_sets AS (
  SELECT DISTINCT nulls
  FROM classes
),
matched AS (
  SELECT
    c.*,
    p.nulls AS beside,
    CASE WHEN ((c.nulls | p.nulls) & CAST(1 AS BIGINT)) = 0 THEN c."kanon_class_0" END AS "part_0",
    CASE WHEN ((c.nulls | p.nulls) & CAST(2 AS BIGINT)) = 0 THEN c."kanon_class_1" END AS "part_1",
    CASE WHEN ((c.nulls | p.nulls) & CAST(4 AS BIGINT)) = 0 THEN c."kanon_class_2" END AS "part_2",
    CASE WHEN ((c.nulls | p.nulls) & CAST(8 AS BIGINT)) = 0 THEN c."kanon_class_3" END AS "part_3",
    CASE WHEN ((c.nulls | p.nulls) & CAST(16 AS BIGINT)) = 0 THEN c."kanon_class_4" END AS "part_4"
  FROM classes AS c
  CROSS JOIN null_sets AS p
),
candidates AS (
  SELECT
    c."kanon_class_0",
    c."kanon_class_1",
    c."kanon_class_2",
    c."kanon_class_3",
    c."kanon_class_4",
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
      m."part_4",
      SUM(m.row_count) AS row_count
    FROM matched AS m
    GROUP BY 1, 2, 3, 4, 5, 6, 7
  ) AS o
    ON c.nulls = o.nulls AND c.beside = o.beside AND ARRAY["c"."part_0"] = ARRAY["o"."part_0"] AND ARRAY["c"."part_1"] = ARRAY["o"."part_1"] AND ARRAY["c"."part_2"] = ARRAY["o"."part_2"] AND ARRAY["c"."part_3"] = ARRAY["o"."part_3"] AND ARRAY["c"."part_4"] = ARRAY["o"."part_4"]
  GROUP BY 1, 2, 3, 4, 5, 6
)SELECT
  COUNT(*) AS class_count,
  COALESCE(SUM(k.row_count), 0) AS row_count,
  MIN(k.candidates) AS smallest_class,
  COALESCE(SUM(CASE WHEN k.candidates >= 2 THEN 0 ELSE 1 END), 0) AS short_classes
FROM candidates AS k

-- spark
WITH classes AS (
  SELECT
    CAST(CAST(`b`.`se"x` AS STRING) AS BINARY) AS `kanon_class_0`,
    CAST(CAST(`b`.`zip; --` AS STRING) AS BINARY) AS `kanon_class_1`,
    CAST(CAST(`b`.`age
of 👩_low` AS STRING) AS BINARY) AS `kanon_class_2`,
    CAST(CAST(`b`.`age
of 👩_high` AS STRING) AS BINARY) AS `kanon_class_3`,
    CAST(CAST(`b`.`SELECT` AS STRING) AS BINARY) AS `kanon_class_4`,
    CASE WHEN `b`.`se"x` IS NULL THEN CAST(1 AS BIGINT) ELSE 0 END + CASE WHEN `b`.`zip; --` IS NULL THEN CAST(2 AS BIGINT) ELSE 0 END + CASE WHEN `b`.`age
of 👩_low` IS NULL THEN CAST(4 AS BIGINT) ELSE 0 END + CASE WHEN `b`.`age
of 👩_high` IS NULL THEN CAST(8 AS BIGINT) ELSE 0 END + CASE WHEN `b`.`SELECT` IS NULL THEN CAST(16 AS BIGINT) ELSE 0 END + CAST(0 AS BIGINT) AS nulls,
    CAST(COUNT(*) AS BIGINT) AS row_count
  FROM `staged'` AS b
  GROUP BY 1, 2, 3, 4, 5, 6
),
null_sets AS (
  SELECT DISTINCT nulls
  FROM classes
),
matched AS (
  SELECT
    c.*,
    p.nulls AS beside,
    CASE WHEN ((c.nulls | p.nulls) & CAST(1 AS BIGINT)) = 0 THEN c.`kanon_class_0` END AS `part_0`,
    CASE WHEN ((c.nulls | p.nulls) & CAST(2 AS BIGINT)) = 0 THEN c.`kanon_class_1` END AS `part_1`,
    CASE WHEN ((c.nulls | p.nulls) & CAST(4 AS BIGINT)) = 0 THEN c.`kanon_class_2` END AS `part_2`,
    CASE WHEN ((c.nulls | p.nulls) & CAST(8 AS BIGINT)) = 0 THEN c.`kanon_class_3` END AS `part_3`,
    CASE WHEN ((c.nulls | p.nulls) & CAST(16 AS BIGINT)) = 0 THEN c.`kanon_class_4` END AS `part_4`
  FROM classes AS c
  CROSS JOIN null_sets AS p
),
candidates AS (
  SELECT
    c.`kanon_class_0`,
    c.`kanon_class_1`,
    c.`kanon_class_2`,
    c.`kanon_class_3`,
    c.`kanon_class_4`,
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
      m.`part_4`,
      SUM(m.row_count) AS row_count
    FROM matched AS m
    GROUP BY 1, 2, 3, 4, 5, 6, 7
  ) AS o
    ON c.nulls = o.nulls AND c.beside = o.beside AND `c`.`part_0` IS NOT DISTINCT FROM `o`.`part_0` AND `c`.`part_1` IS NOT DISTINCT FROM `o`.`part_1` AND `c`.`part_2` IS NOT DISTINCT FROM `o`.`part_2` AND `c`.`part_3` IS NOT DISTINCT FROM `o`.`part_3` AND `c`.`part_4` IS NOT DISTINCT FROM `o`.`part_4`
  GROUP BY 1, 2, 3, 4, 5, 6
)SELECT
  COUNT(*) AS class_count,
  COALESCE(SUM(k.row_count), 0) AS row_count,
  MIN(k.candidates) AS smallest_class,
  COALESCE(SUM(CASE WHEN k.candidates >= 2 THEN 0 ELSE 1 END), 0) AS short_classes
FROM candidates AS k
