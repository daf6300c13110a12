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
JOIN (
  SELECT
    encode(CAST("se""x" AS VARCHAR)) AS "key_1",
    encode(CAST("zip; --" AS VARCHAR)) AS "key_2",
    encode(CAST("age
of 👩_low" AS VARCHAR)) AS "key_3",
    encode(CAST("age
of 👩_high" AS VARCHAR)) AS "key_4",
    encode(CAST("SELECT" AS VARCHAR)) AS "key_5",
    COUNT(DISTINCT "_kanon_entity") AS "class_size"
  FROM "staged'" AS t
  GROUP BY encode(CAST("se""x" AS VARCHAR)), encode(CAST("zip; --" AS VARCHAR)), encode(CAST("age
of 👩_low" AS VARCHAR)), encode(CAST("age
of 👩_high" AS VARCHAR)), encode(CAST("SELECT" AS VARCHAR))
) AS c
  ON "k"."key_1" IS NOT DISTINCT FROM "c"."key_1" AND "k"."key_2" IS NOT DISTINCT FROM "c"."key_2" AND "k"."key_3" IS NOT DISTINCT FROM "c"."key_3" AND "k"."key_4" IS NOT DISTINCT FROM "c"."key_4" AND "k"."key_5" IS NOT DISTINCT FROM "c"."key_5"
WHERE CASE WHEN "class_size" >= 2 THEN 0 ELSE 1 END = 1

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
JOIN (
  SELECT
    (CAST("se""x" AS TEXT) COLLATE "C") AS "key_1",
    (CAST("zip; --" AS TEXT) COLLATE "C") AS "key_2",
    (CAST("age
of 👩_low" AS TEXT) COLLATE "C") AS "key_3",
    (CAST("age
of 👩_high" AS TEXT) COLLATE "C") AS "key_4",
    (CAST("SELECT" AS TEXT) COLLATE "C") AS "key_5",
    COUNT(DISTINCT "_kanon_entity") AS "class_size"
  FROM "staged'" AS t
  GROUP BY (CAST("se""x" AS TEXT) COLLATE "C"), (CAST("zip; --" AS TEXT) COLLATE "C"), (CAST("age
of 👩_low" AS TEXT) COLLATE "C"), (CAST("age
of 👩_high" AS TEXT) COLLATE "C"), (CAST("SELECT" AS TEXT) COLLATE "C")
) AS c
  ON ARRAY["k"."key_1"] = ARRAY["c"."key_1"] AND ARRAY["k"."key_2"] = ARRAY["c"."key_2"] AND ARRAY["k"."key_3"] = ARRAY["c"."key_3"] AND ARRAY["k"."key_4"] = ARRAY["c"."key_4"] AND ARRAY["k"."key_5"] = ARRAY["c"."key_5"]
WHERE CASE WHEN "class_size" >= 2 THEN 0 ELSE 1 END = 1

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
JOIN (
  SELECT
    CAST(CAST(`se"x` AS STRING) AS BINARY) AS `key_1`,
    CAST(CAST(`zip; --` AS STRING) AS BINARY) AS `key_2`,
    CAST(CAST(`age
of 👩_low` AS STRING) AS BINARY) AS `key_3`,
    CAST(CAST(`age
of 👩_high` AS STRING) AS BINARY) AS `key_4`,
    CAST(CAST(`SELECT` AS STRING) AS BINARY) AS `key_5`,
    COUNT(DISTINCT `_kanon_entity`) AS `class_size`
  FROM `staged'` AS t
  GROUP BY CAST(CAST(`se"x` AS STRING) AS BINARY), CAST(CAST(`zip; --` AS STRING) AS BINARY), CAST(CAST(`age
of 👩_low` AS STRING) AS BINARY), CAST(CAST(`age
of 👩_high` AS STRING) AS BINARY), CAST(CAST(`SELECT` AS STRING) AS BINARY)
) AS c
  ON `k`.`key_1` IS NOT DISTINCT FROM `c`.`key_1` AND `k`.`key_2` IS NOT DISTINCT FROM `c`.`key_2` AND `k`.`key_3` IS NOT DISTINCT FROM `c`.`key_3` AND `k`.`key_4` IS NOT DISTINCT FROM `c`.`key_4` AND `k`.`key_5` IS NOT DISTINCT FROM `c`.`key_5`
WHERE CASE WHEN `class_size` >= 2 THEN 0 ELSE 1 END = 1
