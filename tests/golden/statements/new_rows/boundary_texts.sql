-- duckdb
SELECT
  CAST("b"."region" AS VARCHAR),
  CAST("b"."child" AS VARCHAR),
  CAST("b"."axis" AS VARCHAR),
  CAST("b"."side" AS VARCHAR),
  CAST("b"."row_count" AS VARCHAR),
  CAST("b"."low_0" AS VARCHAR),
  CAST("b"."high_0" AS VARCHAR),
  CAST("b"."low_1" AS VARCHAR),
  CAST("b"."high_1" AS VARCHAR),
  CAST("b"."level_2" AS VARCHAR),
  CAST("b"."label_2" AS VARCHAR)
FROM "kept si'des" AS b
ORDER BY b.axis, b.region
LIMIT 100

-- postgres
SELECT
  CAST("b"."region" AS TEXT),
  CAST("b"."child" AS TEXT),
  CAST("b"."axis" AS TEXT),
  CAST("b"."side" AS TEXT),
  CAST("b"."row_count" AS TEXT),
  CAST("b"."low_0" AS TEXT),
  CAST("b"."high_0" AS TEXT),
  CAST("b"."low_1" AS TEXT),
  CAST("b"."high_1" AS TEXT),
  CAST("b"."level_2" AS TEXT),
  CAST("b"."label_2" AS TEXT)
FROM "kept si'des" AS b
ORDER BY b.axis, b.region
LIMIT 100

-- spark
SELECT
  CAST(`b`.`region` AS STRING),
  CAST(`b`.`child` AS STRING),
  CAST(`b`.`axis` AS STRING),
  CAST(`b`.`side` AS STRING),
  CAST(`b`.`row_count` AS STRING),
  CAST(`b`.`low_0` AS STRING),
  CAST(`b`.`high_0` AS STRING),
  CAST(`b`.`low_1` AS STRING),
  CAST(`b`.`high_1` AS STRING),
  CAST(`b`.`level_2` AS STRING),
  CAST(`b`.`label_2` AS STRING)
FROM `kept si'des` AS b
ORDER BY b.axis, b.region
LIMIT 100
