-- column_shapes
SELECT number, shape, row_count
FROM (
  SELECT
    number,
    shape,
    row_count,
    ROW_NUMBER() OVER (PARTITION BY number ORDER BY row_count DESC, shape) AS nth
  FROM (
    SELECT
      number,
      CASE WHEN TRANSLATE(marked, '9Aa_ -./:,+()', '') = '' THEN marked END AS shape,
      SUM(row_count) AS row_count
    FROM (
      SELECT
        0 AS number,
        TRANSLATE(label, 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz', 'AAAAAAAAAAAAAAAAAAAAAAAAAAaaaaaaaaaaaaaaaaaaaaaaaaaa') AS marked,
        row_count
      FROM (
        SELECT TRANSLATE(label, '0123456789', '9999999999') AS label, SUM(row_count) AS row_count
        FROM (
          SELECT CASE WHEN LENGTH(CAST("s"."ward 🏥" AS VARCHAR)) <= 20 THEN CAST("s"."ward 🏥" AS VARCHAR) END AS label, COUNT(*) AS row_count
          FROM "the source; DROP TABLE x" AS s
          WHERE "s"."ward 🏥" IS NOT NULL
          GROUP BY CASE WHEN LENGTH(CAST("s"."ward 🏥" AS VARCHAR)) <= 20 THEN CAST("s"."ward 🏥" AS VARCHAR) END
        ) AS t
        GROUP BY TRANSLATE(label, '0123456789', '9999999999')
      ) AS g
      UNION ALL
      SELECT
        1 AS number,
        TRANSLATE(label, 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz', 'AAAAAAAAAAAAAAAAAAAAAAAAAAaaaaaaaaaaaaaaaaaaaaaaaaaa') AS marked,
        row_count
      FROM (
        SELECT TRANSLATE(label, '0123456789', '9999999999') AS label, SUM(row_count) AS row_count
        FROM (
          SELECT CASE WHEN LENGTH(CAST("s"."na'me" AS VARCHAR)) <= 20 THEN CAST("s"."na'me" AS VARCHAR) END AS label, COUNT(*) AS row_count
          FROM "the source; DROP TABLE x" AS s
          WHERE "s"."na'me" IS NOT NULL
          GROUP BY CASE WHEN LENGTH(CAST("s"."na'me" AS VARCHAR)) <= 20 THEN CAST("s"."na'me" AS VARCHAR) END
        ) AS t
        GROUP BY TRANSLATE(label, '0123456789', '9999999999')
      ) AS g
    ) AS m
    GROUP BY number, CASE WHEN TRANSLATE(marked, '9Aa_ -./:,+()', '') = '' THEN marked END
  ) AS c
) AS r
WHERE nth <= 8
ORDER BY number, nth
