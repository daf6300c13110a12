-- duckdb, postgres
SELECT
  COUNT(DISTINCT "entity"),
  COUNT(DISTINCT "spread_0"),
  COUNT(DISTINCT "spread_1")
FROM "wor'king" AS w

-- spark
SELECT
  COUNT(DISTINCT `entity`),
  COUNT(DISTINCT `spread_0`),
  COUNT(DISTINCT `spread_1`)
FROM `wor'king` AS w
