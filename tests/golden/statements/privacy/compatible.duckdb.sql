-- compatible
CREATE TEMP TABLE "left where NULL matches" AS
WITH classes AS (
  SELECT
    "b"."key_1" AS "key_1",
    "b"."key_2" AS "key_2",
    CASE WHEN "b"."key_1" & CAST(28 AS BIGINT) = CAST(0 AS BIGINT) THEN CAST(2 AS BIGINT) ELSE 0 END + CAST(0 AS BIGINT) AS nulls,
    CAST(SUM(b.row_count) AS BIGINT) AS row_count
  FROM "all where NULL matches" AS b
  GROUP BY 1, 2, 3
),
null_sets AS (
  SELECT DISTINCT nulls
  FROM classes
),
matched AS (
  SELECT
    c.*,
    p.nulls AS beside,
    CASE WHEN ((c.nulls | p.nulls) & CAST(1 AS BIGINT)) = 0 THEN c."key_1" & CAST(3 AS BIGINT) END AS "part_0",
    CASE WHEN ((c.nulls | p.nulls) & CAST(2 AS BIGINT)) = 0 THEN c."key_1" & CAST(28 AS BIGINT) END AS "part_1",
    CASE WHEN ((c.nulls | p.nulls) & CAST(4 AS BIGINT)) = 0 THEN c."key_1" & CAST(96 AS BIGINT) END AS "part_2",
    CASE WHEN ((c.nulls | p.nulls) & CAST(4 AS BIGINT)) = 0 THEN c."key_2" & CAST(7 AS BIGINT) END AS "part_3",
    CASE WHEN ((c.nulls | p.nulls) & CAST(8 AS BIGINT)) = 0 THEN c."key_2" & CAST(24 AS BIGINT) END AS "part_4"
  FROM classes AS c
  CROSS JOIN null_sets AS p
),
candidates AS (
  SELECT
    c."key_1",
    c."key_2",
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
  GROUP BY 1, 2, 3
)SELECT t.*
FROM "all where NULL matches" AS t
WHERE (t."key_1", t."key_2") IN (
  SELECT k."key_1", k."key_2"
  FROM candidates AS k
  WHERE k.candidates >= 2
)
