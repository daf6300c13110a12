-- duckdb, postgres
CREATE TEMP TABLE "dealt; ho'mes" AS
SELECT
  h.*,
  last_nth - row_count + 1 AS first_nth
FROM (
  SELECT
    region,
    "place_0",
    "place_1",
    "place_2",
    "spread_0",
    "spread_1",
    "entity",
    row_count,
    CAST(SUM(row_count) OVER (PARTITION BY "place_0", "place_1", "place_2", "spread_0", "spread_1", "entity" ORDER BY region ROWS UNBOUNDED PRECEDING) AS BIGINT) AS last_nth
  FROM "dealt; after" AS w
) AS h

-- spark
CREATE TEMP VIEW `dealt; ho'mes` AS
SELECT
  h.*,
  last_nth - row_count + 1 AS first_nth
FROM (
  SELECT
    region,
    `place_0`,
    `place_1`,
    `place_2`,
    `spread_0`,
    `spread_1`,
    `entity`,
    row_count,
    CAST(SUM(row_count) OVER (PARTITION BY `place_0`, `place_1`, `place_2`, `spread_0`, `spread_1`, `entity` ORDER BY region ROWS UNBOUNDED PRECEDING) AS BIGINT) AS last_nth
  FROM `dealt; after` AS w
) AS h
