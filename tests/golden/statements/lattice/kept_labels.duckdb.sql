-- kept_labels
SELECT
  COALESCE(SUM(CAST("m"."row_count" AS DOUBLE) * CAST("l1"."leaves" AS DOUBLE) * CAST("l2"."leaves" AS DOUBLE)), 0) AS ambiguity,
  CAST(COALESCE(SUM(CASE WHEN "l1"."leaves" > 1 THEN m.row_count * "l1"."leaves" ELSE 0 END), 0) AS BIGINT) AS "wide_1",
  CAST(COALESCE(SUM(CASE WHEN "l2"."leaves" > 1 THEN m.row_count * "l2"."leaves" ELSE 0 END), 0) AS BIGINT) AS "wide_2"
FROM (
  SELECT
    c."key_1" & CAST(24 AS BIGINT) AS "key_1",
    c."key_2" & CAST(6 AS BIGINT) AS "key_2",
    CAST(SUM(c.row_count) AS BIGINT) AS row_count
  FROM (
SELECT
    p0.*
  FROM (
    SELECT
      0 AS node,
      f."key_1" & CAST(? AS BIGINT) AS "key_1",
      f."key_2" & CAST(? AS BIGINT) AS "key_2",
      CAST(SUM("f"."row_count") AS BIGINT) AS row_count
    FROM "frequency ""set"" 0" AS f
    GROUP BY 2, 3
  ) AS "p0"
  ) AS c
  WHERE "row_count" >= 2
  GROUP BY c."key_1" & CAST(24 AS BIGINT), c."key_2" & CAST(6 AS BIGINT)
) AS m
JOIN "weights" AS "l1"
  ON "l1".item = 1 AND "l1"."key_1" = (m."key_1" & CAST(24 AS BIGINT)) AND "l1"."key_2" = (m."key_2" & CAST(0 AS BIGINT))
JOIN "weights" AS "l2"
  ON "l2".item = 2 AND "l2"."key_1" = (m."key_1" & CAST(0 AS BIGINT)) AND "l2"."key_2" = (m."key_2" & CAST(6 AS BIGINT))
