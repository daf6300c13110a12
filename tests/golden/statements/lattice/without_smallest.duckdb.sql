-- without_smallest
CREATE TEMP TABLE "left at once" AS
SELECT t.*
FROM "fits at once" AS t
WHERE NOT EXISTS (
  SELECT 1
  FROM (
    SELECT c.*
    FROM (
      SELECT
        "key_1",
        "key_2",
        SUM(row_count) AS row_count
      FROM "fits at once" AS b
      GROUP BY "key_1", "key_2"
    ) AS c
    JOIN "ranks 1" AS "r0"
      ON "r0"."key_1" = (c."key_1" & CAST(24 AS BIGINT))
    JOIN "ranks 2" AS "r1"
      ON "r1"."key_2" = (c."key_2" & CAST(6 AS BIGINT))
    ORDER BY c.row_count, "r0"."code", "r1"."code"
    LIMIT 1
  ) AS s
  WHERE s."key_1" = t."key_1" AND s."key_2" = t."key_2"
)
