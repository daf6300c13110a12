-- frequent_values
SELECT number, label
FROM (
  SELECT
    number,
    label,
    row_count,
    ROW_NUMBER() OVER (PARTITION BY number ORDER BY row_count DESC, label) AS nth
  FROM (
    SELECT
      0 AS number,
      CAST("s"."se""x" AS VARCHAR) AS label,
      COUNT(*) AS row_count
    FROM "the source; DROP TABLE x" AS s
    WHERE "s"."se""x" IS NOT NULL
    GROUP BY CAST("s"."se""x" AS VARCHAR)
    UNION ALL
    SELECT
      1 AS number,
      CAST("s"."ward 🏥" AS VARCHAR) AS label,
      COUNT(*) AS row_count
    FROM "the source; DROP TABLE x" AS s
    WHERE "s"."ward 🏥" IS NOT NULL
    GROUP BY CAST("s"."ward 🏥" AS VARCHAR)
  ) AS c
) AS r
WHERE nth <= 8
ORDER BY number, nth
