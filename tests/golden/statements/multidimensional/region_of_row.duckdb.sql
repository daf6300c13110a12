-- region_of_row
CREATE TEMP TABLE "dealt; ho'mes" AS
SELECT
  h.*,
  last_nth - row_count + 1 AS first_nth
FROM (
  SELECT
    w.*,
    CAST(SUM(row_count) OVER (PARTITION BY "tuple_0", "tuple_1", "spread_0", "spread_1", "entity" ORDER BY region ROWS UNBOUNDED PRECEDING) AS BIGINT) AS last_nth
  FROM (
    SELECT
      region,
(CAST("w"."place_0" AS BIGINT) * 3 + "w"."place_1") AS "tuple_0",
CAST("w"."place_2" AS BIGINT) AS "tuple_1",
      "spread_0",
      "spread_1",
      "entity",
      row_count
    FROM "dealt; after" AS w
  ) AS w
) AS h
