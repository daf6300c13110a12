-- duckdb
SELECT
  COUNT(*) AS row_count,
  SUM(CAST(hash(
    CAST("s"."na'me" AS VARCHAR),
    CAST("s"."s.s.n" AS VARCHAR),
    CAST("s"."se""x" AS VARCHAR),
    CAST("s"."zip; --" AS VARCHAR),
    CAST("s"."age
of 👩_low" AS VARCHAR),
    CAST("s"."age
of 👩_high" AS VARCHAR),
    CAST("s"."SELECT" AS VARCHAR),
    CAST("s"."dis'ease" AS VARCHAR),
    CAST("s"."ward 🏥" AS VARCHAR),
    CAST("s"."vis.it" AS VARCHAR)
  ) AS HUGEINT)) AS "row_hash"
FROM "read back" AS s

-- postgres
SELECT
  COUNT(*) AS row_count,
  SUM(HASHTEXTEXTENDED(CAST(ROW("s"."na'me", "s"."s.s.n", "s"."se""x", "s"."zip; --", "s"."age
of 👩_low", "s"."age
of 👩_high", "s"."SELECT", "s"."dis'ease", "s"."ward 🏥", "s"."vis.it") AS TEXT) COLLATE "C", 0)) AS "row_hash"
FROM "read back" AS s

-- spark
SELECT
  COUNT(*) AS row_count,
  SUM(CAST(XXHASH64(
    CAST(`s`.`na'me` AS STRING),
    `s`.`na'me` IS NULL,
    CAST(`s`.`s.s.n` AS STRING),
    `s`.`s.s.n` IS NULL,
    CAST(`s`.`se"x` AS STRING),
    `s`.`se"x` IS NULL,
    CAST(`s`.`zip; --` AS STRING),
    `s`.`zip; --` IS NULL,
    CAST(`s`.`age
of 👩_low` AS STRING),
    `s`.`age
of 👩_low` IS NULL,
    CAST(`s`.`age
of 👩_high` AS STRING),
    `s`.`age
of 👩_high` IS NULL,
    CAST(`s`.`SELECT` AS STRING),
    `s`.`SELECT` IS NULL,
    CAST(`s`.`dis'ease` AS STRING),
    `s`.`dis'ease` IS NULL,
    CAST(`s`.`ward 🏥` AS STRING),
    `s`.`ward 🏥` IS NULL,
    CAST(`s`.`vis.it` AS STRING),
    `s`.`vis.it` IS NULL
  ) AS DECIMAL(38, 0))) AS `row_hash`
FROM `read back` AS s
