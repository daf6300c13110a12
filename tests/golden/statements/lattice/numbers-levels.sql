-- duckdb, postgres
CREATE TEMP TABLE "levels" AS
SELECT
  CAST("node" AS BIGINT) AS "node",
  CAST("quasi" AS INTEGER) AS "quasi",
  CAST("mask" AS BIGINT) AS "mask",
  CAST("coarser" AS BIGINT) AS "coarser"
FROM (
  VALUES
    (1, 0, 3, 2),
    (2, 0, 3, 0),
    (4, 1, 12, 8),
    (8, 1, 12, 0),
    (16, 2, 48, 32),
    (32, 2, 48, 48),
    (48, 2, 48, 0)
) AS v ("node", "quasi", "mask", "coarser")

-- spark
CREATE TEMP VIEW `levels` AS
SELECT
  CAST(`node` AS BIGINT) AS `node`,
  CAST(`quasi` AS INTEGER) AS `quasi`,
  CAST(`mask` AS BIGINT) AS `mask`,
  CAST(`coarser` AS BIGINT) AS `coarser`
FROM (
  VALUES
    (1, 0, 3, 2),
    (2, 0, 3, 0),
    (4, 1, 12, 8),
    (8, 1, 12, 0),
    (16, 2, 48, 32),
    (32, 2, 48, 48),
    (48, 2, 48, 0)
) AS v (`node`, `quasi`, `mask`, `coarser`)
