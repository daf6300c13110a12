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
      CASE WHEN LENGTH(marked) <= 20 AND TRANSLATE(marked, '9Aa_ -./:,+()', '') = '' THEN marked END AS shape,
      SUM(row_count) AS row_count
    FROM (
      SELECT
        0 AS number,
        TRANSLATE(CAST("s"."ward 🏥" AS VARCHAR), '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz', '9999999999AAAAAAAAAAAAAAAAAAAAAAAAAAaaaaaaaaaaaaaaaaaaaaaaaaaa') AS marked,
        COUNT(*) AS row_count
      FROM "the source; DROP TABLE x" AS s
      WHERE "s"."ward 🏥" IS NOT NULL
      GROUP BY CAST("s"."ward 🏥" AS VARCHAR)
      UNION ALL
      SELECT
        1 AS number,
        TRANSLATE(CAST("s"."na'me" AS VARCHAR), '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz', '9999999999AAAAAAAAAAAAAAAAAAAAAAAAAAaaaaaaaaaaaaaaaaaaaaaaaaaa') AS marked,
        COUNT(*) AS row_count
      FROM "the source; DROP TABLE x" AS s
      WHERE "s"."na'me" IS NOT NULL
      GROUP BY CAST("s"."na'me" AS VARCHAR)
    ) AS m
    GROUP BY number, CASE WHEN LENGTH(marked) <= 20 AND TRANSLATE(marked, '9Aa_ -./:,+()', '') = '' THEN marked END
  ) AS c
) AS r
WHERE nth <= 8
ORDER BY number, nth
