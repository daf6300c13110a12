-- numbers
CREATE TEMP TABLE "items" AS
SELECT
  CAST("item" AS INTEGER) AS "item",
  CAST("mask_1" AS BIGINT) AS "mask_1",
  CAST("mask_2" AS BIGINT) AS "mask_2"
FROM (
  VALUES
    (0, 3, 0),
    (1, 24, 0),
    (2, 0, 6),
    (3, 0, 24)
) AS v ("item", "mask_1", "mask_2")
