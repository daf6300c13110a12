-- duckdb
SELECT
  COUNT(*) AS row_count,
  COUNT(DISTINCT "k"."person") AS people
FROM (
  SELECT
    encode(CAST("se""x" AS VARCHAR)) AS "key_1",
    encode(CAST("zip; --" AS VARCHAR)) AS "key_2",
    encode(CAST("age
of 👩_low" AS VARCHAR)) AS "key_3",
    encode(CAST("age
of 👩_high" AS VARCHAR)) AS "key_4",
    encode(CAST("SELECT" AS VARCHAR)) AS "key_5",
    "t"."_kanon_entity" AS person
  FROM "staged'" AS t
) AS k

-- postgres
SELECT
  COUNT(*) AS row_count,
  COUNT(DISTINCT "k"."person") AS people
FROM (
  SELECT
    (CAST("se""x" AS TEXT) COLLATE "C") AS "key_1",
    (CAST("zip; --" AS TEXT) COLLATE "C") AS "key_2",
    (CAST("age
of 👩_low" AS TEXT) COLLATE "C") AS "key_3",
    (CAST("age
of 👩_high" AS TEXT) COLLATE "C") AS "key_4",
    (CAST("SELECT" AS TEXT) COLLATE "C") AS "key_5",
    "t"."_kanon_entity" AS person
  FROM "staged'" AS t
) AS k

-- spark
SELECT
  COUNT(*) AS row_count,
  COUNT(DISTINCT `k`.`person`) AS people
FROM (
  SELECT
    CAST(CAST(`se"x` AS STRING) AS BINARY) AS `key_1`,
    CAST(CAST(`zip; --` AS STRING) AS BINARY) AS `key_2`,
    CAST(CAST(`age
of 👩_low` AS STRING) AS BINARY) AS `key_3`,
    CAST(CAST(`age
of 👩_high` AS STRING) AS BINARY) AS `key_4`,
    CAST(CAST(`SELECT` AS STRING) AS BINARY) AS `key_5`,
    `t`.`_kanon_entity` AS person
  FROM `staged'` AS t
) AS k
