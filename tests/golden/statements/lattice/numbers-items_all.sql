-- duckdb, postgres
CREATE TEMP TABLE "all items" AS
SELECT
  CAST("item" AS INTEGER) AS "item",
  CAST("mask_1" AS BIGINT) AS "mask_1",
  CAST("mask_2" AS BIGINT) AS "mask_2"
FROM (
  VALUES
    (0, 3, 0),
    (1, 0, 0),
    (2, 28, 0),
    (3, 24, 0),
    (4, 0, 0),
    (5, 96, 7),
    (6, 0, 7),
    (7, 0, 6),
    (8, 0, 0),
    (9, 0, 24),
    (10, 0, 24),
    (11, 0, 0)
) AS v ("item", "mask_1", "mask_2")

-- spark
CREATE TEMP VIEW `all items` AS
SELECT
  CAST(`item` AS INTEGER) AS `item`,
  CAST(`mask_1` AS BIGINT) AS `mask_1`,
  CAST(`mask_2` AS BIGINT) AS `mask_2`
FROM (
  VALUES
    (0, 3, 0),
    (1, 0, 0),
    (2, 28, 0),
    (3, 24, 0),
    (4, 0, 0),
    (5, 96, 7),
    (6, 0, 7),
    (7, 0, 6),
    (8, 0, 0),
    (9, 0, 24),
    (10, 0, 24),
    (11, 0, 0)
) AS v (`item`, `mask_1`, `mask_2`)
