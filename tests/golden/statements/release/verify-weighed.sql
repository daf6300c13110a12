-- duckdb
SELECT
  COUNT(*) AS classes,
  COALESCE(SUM(class_rows), 0) AS row_count,
  MIN("class_size") AS "smallest_class",
  MAX("measure_1") AS "most_1",
  MAX("measure_2") AS "most_2",
  COALESCE(SUM(CASE WHEN "class_size" >= 2 AND "measure_1" <= 250000000 AND "measure_2" <= 500000000 THEN 0 ELSE 1 END), 0) AS short_classes
FROM (
  SELECT
    COUNT(*) AS class_rows,
    COUNT(DISTINCT "_kanon_entity") AS "class_size",
    COALESCE(CAST(ROUND((
      1000000000 * SUM(GREATEST("kanon_in_class_0" * "kanon_of_table_0" - "kanon_in_table_0" * "kanon_of_class_0", 0))
      + (MAX("kanon_of_class_0") * MAX("kanon_of_table_0") - 1000000000 * SUM(GREATEST("kanon_in_class_0" * "kanon_of_table_0" - "kanon_in_table_0" * "kanon_of_class_0", 0)) % (MAX("kanon_of_class_0") * MAX("kanon_of_table_0"))) % (MAX("kanon_of_class_0") * MAX("kanon_of_table_0"))
    ) / (MAX("kanon_of_class_0") * MAX("kanon_of_table_0"))) AS BIGINT), 1000000000) AS "measure_1",
    COALESCE(CAST(ROUND((
      1000000000 * SUM(GREATEST("kanon_in_class_1" * "kanon_of_table_1" - "kanon_in_table_1" * "kanon_of_class_1", 0))
      + (MAX("kanon_of_class_1") * MAX("kanon_of_table_1") - 1000000000 * SUM(GREATEST("kanon_in_class_1" * "kanon_of_table_1" - "kanon_in_table_1" * "kanon_of_class_1", 0)) % (MAX("kanon_of_class_1") * MAX("kanon_of_table_1"))) % (MAX("kanon_of_class_1") * MAX("kanon_of_table_1"))
    ) / (MAX("kanon_of_class_1") * MAX("kanon_of_table_1"))) AS BIGINT), 1000000000) AS "measure_2"
  FROM (
  SELECT
    r.*,
    CAST(
      CASE
        WHEN "r"."dis'ease" IS NOT NULL AND ROW_NUMBER() OVER (PARTITION BY encode(CAST("r"."se""x" AS VARCHAR)), encode(CAST("r"."zip; --" AS VARCHAR)), encode(CAST("r"."age
of 👩_low" AS VARCHAR)), encode(CAST("r"."age
of 👩_high" AS VARCHAR)), encode(CAST("r"."SELECT" AS VARCHAR)), "r"."dis'ease" ORDER BY "r"."dis'ease") = 1
          THEN SUM(r."kanon_pair_0") OVER (PARTITION BY encode(CAST("r"."se""x" AS VARCHAR)), encode(CAST("r"."zip; --" AS VARCHAR)), encode(CAST("r"."age
of 👩_low" AS VARCHAR)), encode(CAST("r"."age
of 👩_high" AS VARCHAR)), encode(CAST("r"."SELECT" AS VARCHAR)), "r"."dis'ease")
      END
    AS DECIMAL(38, 0)) AS "kanon_in_class_0",
    CAST(
      SUM(r."kanon_pair_0") OVER (PARTITION BY encode(CAST("r"."se""x" AS VARCHAR)), encode(CAST("r"."zip; --" AS VARCHAR)), encode(CAST("r"."age
of 👩_low" AS VARCHAR)), encode(CAST("r"."age
of 👩_high" AS VARCHAR)), encode(CAST("r"."SELECT" AS VARCHAR))) AS DECIMAL(38, 0)
    ) AS "kanon_of_class_0",
    CAST("w0".value_rows AS DECIMAL(38, 0)) AS "kanon_in_table_0",
    CAST("w0".table_rows AS DECIMAL(38, 0)) AS "kanon_of_table_0",
    "w0".table_values AS "kanon_in_all_0",
    CAST(
      CASE
        WHEN ROW_NUMBER() OVER (PARTITION BY encode(CAST("r"."se""x" AS VARCHAR)), encode(CAST("r"."zip; --" AS VARCHAR)), encode(CAST("r"."age
of 👩_low" AS VARCHAR)), encode(CAST("r"."age
of 👩_high" AS VARCHAR)), encode(CAST("r"."SELECT" AS VARCHAR)), "r"."ward 🏥" ORDER BY "r"."ward 🏥") = 1
          THEN SUM(r."kanon_pair_1") OVER (PARTITION BY encode(CAST("r"."se""x" AS VARCHAR)), encode(CAST("r"."zip; --" AS VARCHAR)), encode(CAST("r"."age
of 👩_low" AS VARCHAR)), encode(CAST("r"."age
of 👩_high" AS VARCHAR)), encode(CAST("r"."SELECT" AS VARCHAR)), "r"."ward 🏥")
      END
    AS DECIMAL(38, 0)) AS "kanon_in_class_1",
    CAST(
      SUM(r."kanon_pair_1") OVER (PARTITION BY encode(CAST("r"."se""x" AS VARCHAR)), encode(CAST("r"."zip; --" AS VARCHAR)), encode(CAST("r"."age
of 👩_low" AS VARCHAR)), encode(CAST("r"."age
of 👩_high" AS VARCHAR)), encode(CAST("r"."SELECT" AS VARCHAR))) AS DECIMAL(38, 0)
    ) AS "kanon_of_class_1",
    CAST("w1".value_rows AS DECIMAL(38, 0)) AS "kanon_in_table_1",
    CAST("w1".table_rows AS DECIMAL(38, 0)) AS "kanon_of_table_1",
    "w1".table_values AS "kanon_in_all_1"
  FROM (
  SELECT
    r.*,
    CASE
      WHEN "r"."_kanon_entity" IS NOT NULL AND "r"."dis'ease" IS NOT NULL AND ROW_NUMBER() OVER (PARTITION BY encode(CAST("r"."se""x" AS VARCHAR)), encode(CAST("r"."zip; --" AS VARCHAR)), encode(CAST("r"."age
of 👩_low" AS VARCHAR)), encode(CAST("r"."age
of 👩_high" AS VARCHAR)), encode(CAST("r"."SELECT" AS VARCHAR)), "r"."dis'ease", "r"."_kanon_entity" ORDER BY "r"."_kanon_entity") = 1 THEN 1
    END AS "kanon_pair_0",
    CASE
      WHEN "r"."_kanon_entity" IS NOT NULL AND ROW_NUMBER() OVER (PARTITION BY encode(CAST("r"."se""x" AS VARCHAR)), encode(CAST("r"."zip; --" AS VARCHAR)), encode(CAST("r"."age
of 👩_low" AS VARCHAR)), encode(CAST("r"."age
of 👩_high" AS VARCHAR)), encode(CAST("r"."SELECT" AS VARCHAR)), "r"."ward 🏥", "r"."_kanon_entity" ORDER BY "r"."_kanon_entity") = 1 THEN 1
    END AS "kanon_pair_1"
  FROM "staged'" AS r
  ) AS r
LEFT JOIN (SELECT
  "t"."dis'ease" AS value,
  COUNT(DISTINCT "t"."who") AS value_rows,
  SUM(COUNT(DISTINCT "t"."who")) OVER () AS table_rows,
  COUNT(*) OVER () AS table_values,
  (SELECT COUNT(DISTINCT "t"."who") FROM "the source; DROP TABLE x" AS t WHERE "t"."dis'ease" IS NOT NULL) AS table_persons
FROM "the source; DROP TABLE x" AS t
WHERE "t"."dis'ease" IS NOT NULL
GROUP BY "t"."dis'ease"
) AS "w0"
  ON "r"."dis'ease" IS NOT DISTINCT FROM "w0"."value"
LEFT JOIN (SELECT
  "t"."ward 🏥" AS value,
  COUNT(DISTINCT "t"."who") AS value_rows,
  SUM(COUNT(DISTINCT "t"."who")) OVER () AS table_rows,
  COUNT(*) OVER () AS table_values,
  (SELECT COUNT(DISTINCT "t"."who") FROM "the source; DROP TABLE x" AS t) AS table_persons
FROM "the source; DROP TABLE x" AS t
GROUP BY "t"."ward 🏥"
) AS "w1"
  ON "r"."ward 🏥" IS NOT DISTINCT FROM "w1"."value"
) AS t
  GROUP BY encode(CAST("se""x" AS VARCHAR)), encode(CAST("zip; --" AS VARCHAR)), encode(CAST("age
of 👩_low" AS VARCHAR)), encode(CAST("age
of 👩_high" AS VARCHAR)), encode(CAST("SELECT" AS VARCHAR))
) AS classes

-- postgres
SELECT
  COUNT(*) AS classes,
  COALESCE(SUM(class_rows), 0) AS row_count,
  MIN("class_size") AS "smallest_class",
  MAX("measure_1") AS "most_1",
  MAX("measure_2") AS "most_2",
  COALESCE(SUM(CASE WHEN "class_size" >= 2 AND "measure_1" <= 250000000 AND "measure_2" <= 500000000 THEN 0 ELSE 1 END), 0) AS short_classes
FROM (
  SELECT
    COUNT(*) AS class_rows,
    COUNT(DISTINCT "_kanon_entity") AS "class_size",
    COALESCE(CAST(ROUND((
      1000000000 * SUM(GREATEST("kanon_in_class_0" * "kanon_of_table_0" - "kanon_in_table_0" * "kanon_of_class_0", 0))
      + (MAX("kanon_of_class_0") * MAX("kanon_of_table_0") - 1000000000 * SUM(GREATEST("kanon_in_class_0" * "kanon_of_table_0" - "kanon_in_table_0" * "kanon_of_class_0", 0)) % (MAX("kanon_of_class_0") * MAX("kanon_of_table_0"))) % (MAX("kanon_of_class_0") * MAX("kanon_of_table_0"))
    ) / (MAX("kanon_of_class_0") * MAX("kanon_of_table_0"))) AS BIGINT), 1000000000) AS "measure_1",
    COALESCE(CAST(ROUND((
      1000000000 * SUM(GREATEST("kanon_in_class_1" * "kanon_of_table_1" - "kanon_in_table_1" * "kanon_of_class_1", 0))
      + (MAX("kanon_of_class_1") * MAX("kanon_of_table_1") - 1000000000 * SUM(GREATEST("kanon_in_class_1" * "kanon_of_table_1" - "kanon_in_table_1" * "kanon_of_class_1", 0)) % (MAX("kanon_of_class_1") * MAX("kanon_of_table_1"))) % (MAX("kanon_of_class_1") * MAX("kanon_of_table_1"))
    ) / (MAX("kanon_of_class_1") * MAX("kanon_of_table_1"))) AS BIGINT), 1000000000) AS "measure_2"
  FROM (
  SELECT
    r.*,
    CAST(
      CASE
        WHEN "r"."dis'ease" IS NOT NULL AND ROW_NUMBER() OVER (PARTITION BY (CAST("r"."se""x" AS TEXT) COLLATE "C"), (CAST("r"."zip; --" AS TEXT) COLLATE "C"), (CAST("r"."age
of 👩_low" AS TEXT) COLLATE "C"), (CAST("r"."age
of 👩_high" AS TEXT) COLLATE "C"), (CAST("r"."SELECT" AS TEXT) COLLATE "C"), "r"."dis'ease" ORDER BY "r"."dis'ease") = 1
          THEN SUM(r."kanon_pair_0") OVER (PARTITION BY (CAST("r"."se""x" AS TEXT) COLLATE "C"), (CAST("r"."zip; --" AS TEXT) COLLATE "C"), (CAST("r"."age
of 👩_low" AS TEXT) COLLATE "C"), (CAST("r"."age
of 👩_high" AS TEXT) COLLATE "C"), (CAST("r"."SELECT" AS TEXT) COLLATE "C"), "r"."dis'ease")
      END
    AS DECIMAL(38, 0)) AS "kanon_in_class_0",
    CAST(
      SUM(r."kanon_pair_0") OVER (PARTITION BY (CAST("r"."se""x" AS TEXT) COLLATE "C"), (CAST("r"."zip; --" AS TEXT) COLLATE "C"), (CAST("r"."age
of 👩_low" AS TEXT) COLLATE "C"), (CAST("r"."age
of 👩_high" AS TEXT) COLLATE "C"), (CAST("r"."SELECT" AS TEXT) COLLATE "C")) AS DECIMAL(38, 0)
    ) AS "kanon_of_class_0",
    CAST("w0".value_rows AS DECIMAL(38, 0)) AS "kanon_in_table_0",
    CAST("w0".table_rows AS DECIMAL(38, 0)) AS "kanon_of_table_0",
    "w0".table_values AS "kanon_in_all_0",
    CAST(
      CASE
        WHEN ROW_NUMBER() OVER (PARTITION BY (CAST("r"."se""x" AS TEXT) COLLATE "C"), (CAST("r"."zip; --" AS TEXT) COLLATE "C"), (CAST("r"."age
of 👩_low" AS TEXT) COLLATE "C"), (CAST("r"."age
of 👩_high" AS TEXT) COLLATE "C"), (CAST("r"."SELECT" AS TEXT) COLLATE "C"), "r"."ward 🏥" ORDER BY "r"."ward 🏥") = 1
          THEN SUM(r."kanon_pair_1") OVER (PARTITION BY (CAST("r"."se""x" AS TEXT) COLLATE "C"), (CAST("r"."zip; --" AS TEXT) COLLATE "C"), (CAST("r"."age
of 👩_low" AS TEXT) COLLATE "C"), (CAST("r"."age
of 👩_high" AS TEXT) COLLATE "C"), (CAST("r"."SELECT" AS TEXT) COLLATE "C"), "r"."ward 🏥")
      END
    AS DECIMAL(38, 0)) AS "kanon_in_class_1",
    CAST(
      SUM(r."kanon_pair_1") OVER (PARTITION BY (CAST("r"."se""x" AS TEXT) COLLATE "C"), (CAST("r"."zip; --" AS TEXT) COLLATE "C"), (CAST("r"."age
of 👩_low" AS TEXT) COLLATE "C"), (CAST("r"."age
of 👩_high" AS TEXT) COLLATE "C"), (CAST("r"."SELECT" AS TEXT) COLLATE "C")) AS DECIMAL(38, 0)
    ) AS "kanon_of_class_1",
    CAST("w1".value_rows AS DECIMAL(38, 0)) AS "kanon_in_table_1",
    CAST("w1".table_rows AS DECIMAL(38, 0)) AS "kanon_of_table_1",
    "w1".table_values AS "kanon_in_all_1"
  FROM (
  SELECT
    r.*,
    CASE
      WHEN "r"."_kanon_entity" IS NOT NULL AND "r"."dis'ease" IS NOT NULL AND ROW_NUMBER() OVER (PARTITION BY (CAST("r"."se""x" AS TEXT) COLLATE "C"), (CAST("r"."zip; --" AS TEXT) COLLATE "C"), (CAST("r"."age
of 👩_low" AS TEXT) COLLATE "C"), (CAST("r"."age
of 👩_high" AS TEXT) COLLATE "C"), (CAST("r"."SELECT" AS TEXT) COLLATE "C"), "r"."dis'ease", "r"."_kanon_entity" ORDER BY "r"."_kanon_entity") = 1 THEN 1
    END AS "kanon_pair_0",
    CASE
      WHEN "r"."_kanon_entity" IS NOT NULL AND ROW_NUMBER() OVER (PARTITION BY (CAST("r"."se""x" AS TEXT) COLLATE "C"), (CAST("r"."zip; --" AS TEXT) COLLATE "C"), (CAST("r"."age
of 👩_low" AS TEXT) COLLATE "C"), (CAST("r"."age
of 👩_high" AS TEXT) COLLATE "C"), (CAST("r"."SELECT" AS TEXT) COLLATE "C"), "r"."ward 🏥", "r"."_kanon_entity" ORDER BY "r"."_kanon_entity") = 1 THEN 1
    END AS "kanon_pair_1"
  FROM "staged'" AS r
  ) AS r
LEFT JOIN (SELECT
  "t"."dis'ease" AS value,
  COUNT(DISTINCT "t"."who") AS value_rows,
  SUM(COUNT(DISTINCT "t"."who")) OVER () AS table_rows,
  COUNT(*) OVER () AS table_values,
  (SELECT COUNT(DISTINCT "t"."who") FROM "the source; DROP TABLE x" AS t WHERE "t"."dis'ease" IS NOT NULL) AS table_persons
FROM "the source; DROP TABLE x" AS t
WHERE "t"."dis'ease" IS NOT NULL
GROUP BY "t"."dis'ease"
) AS "w0"
  ON ARRAY["r"."dis'ease"] = ARRAY["w0"."value"]
LEFT JOIN (SELECT
  "t"."ward 🏥" AS value,
  COUNT(DISTINCT "t"."who") AS value_rows,
  SUM(COUNT(DISTINCT "t"."who")) OVER () AS table_rows,
  COUNT(*) OVER () AS table_values,
  (SELECT COUNT(DISTINCT "t"."who") FROM "the source; DROP TABLE x" AS t) AS table_persons
FROM "the source; DROP TABLE x" AS t
GROUP BY "t"."ward 🏥"
) AS "w1"
  ON ARRAY["r"."ward 🏥"] = ARRAY["w1"."value"]
) AS t
  GROUP BY (CAST("se""x" AS TEXT) COLLATE "C"), (CAST("zip; --" AS TEXT) COLLATE "C"), (CAST("age
of 👩_low" AS TEXT) COLLATE "C"), (CAST("age
of 👩_high" AS TEXT) COLLATE "C"), (CAST("SELECT" AS TEXT) COLLATE "C")
) AS classes

-- spark
SELECT
  COUNT(*) AS classes,
  COALESCE(SUM(class_rows), 0) AS row_count,
  MIN(`class_size`) AS `smallest_class`,
  MAX(`measure_1`) AS `most_1`,
  MAX(`measure_2`) AS `most_2`,
  COALESCE(SUM(CASE WHEN `class_size` >= 2 AND `measure_1` <= 250000000 AND `measure_2` <= 500000000 THEN 0 ELSE 1 END), 0) AS short_classes
FROM (
  SELECT
    COUNT(*) AS class_rows,
    COUNT(DISTINCT `_kanon_entity`) AS `class_size`,
    COALESCE(CAST(ROUND((
      1000000000 * SUM(GREATEST(`kanon_in_class_0` * `kanon_of_table_0` - `kanon_in_table_0` * `kanon_of_class_0`, 0))
      + (MAX(`kanon_of_class_0`) * MAX(`kanon_of_table_0`) - 1000000000 * SUM(GREATEST(`kanon_in_class_0` * `kanon_of_table_0` - `kanon_in_table_0` * `kanon_of_class_0`, 0)) % (MAX(`kanon_of_class_0`) * MAX(`kanon_of_table_0`))) % (MAX(`kanon_of_class_0`) * MAX(`kanon_of_table_0`))
    ) / (MAX(`kanon_of_class_0`) * MAX(`kanon_of_table_0`))) AS BIGINT), 1000000000) AS `measure_1`,
    COALESCE(CAST(ROUND((
      1000000000 * SUM(GREATEST(`kanon_in_class_1` * `kanon_of_table_1` - `kanon_in_table_1` * `kanon_of_class_1`, 0))
      + (MAX(`kanon_of_class_1`) * MAX(`kanon_of_table_1`) - 1000000000 * SUM(GREATEST(`kanon_in_class_1` * `kanon_of_table_1` - `kanon_in_table_1` * `kanon_of_class_1`, 0)) % (MAX(`kanon_of_class_1`) * MAX(`kanon_of_table_1`))) % (MAX(`kanon_of_class_1`) * MAX(`kanon_of_table_1`))
    ) / (MAX(`kanon_of_class_1`) * MAX(`kanon_of_table_1`))) AS BIGINT), 1000000000) AS `measure_2`
  FROM (
  SELECT
    r.*,
    CAST(
      CASE
        WHEN `r`.`dis'ease` IS NOT NULL AND ROW_NUMBER() OVER (PARTITION BY CAST(CAST(`r`.`se"x` AS STRING) AS BINARY), CAST(CAST(`r`.`zip; --` AS STRING) AS BINARY), CAST(CAST(`r`.`age
of 👩_low` AS STRING) AS BINARY), CAST(CAST(`r`.`age
of 👩_high` AS STRING) AS BINARY), CAST(CAST(`r`.`SELECT` AS STRING) AS BINARY), `r`.`dis'ease` ORDER BY `r`.`dis'ease`) = 1
          THEN SUM(r.`kanon_pair_0`) OVER (PARTITION BY CAST(CAST(`r`.`se"x` AS STRING) AS BINARY), CAST(CAST(`r`.`zip; --` AS STRING) AS BINARY), CAST(CAST(`r`.`age
of 👩_low` AS STRING) AS BINARY), CAST(CAST(`r`.`age
of 👩_high` AS STRING) AS BINARY), CAST(CAST(`r`.`SELECT` AS STRING) AS BINARY), `r`.`dis'ease`)
      END
    AS DECIMAL(38, 0)) AS `kanon_in_class_0`,
    CAST(
      SUM(r.`kanon_pair_0`) OVER (PARTITION BY CAST(CAST(`r`.`se"x` AS STRING) AS BINARY), CAST(CAST(`r`.`zip; --` AS STRING) AS BINARY), CAST(CAST(`r`.`age
of 👩_low` AS STRING) AS BINARY), CAST(CAST(`r`.`age
of 👩_high` AS STRING) AS BINARY), CAST(CAST(`r`.`SELECT` AS STRING) AS BINARY)) AS DECIMAL(38, 0)
    ) AS `kanon_of_class_0`,
    CAST(`w0`.value_rows AS DECIMAL(38, 0)) AS `kanon_in_table_0`,
    CAST(`w0`.table_rows AS DECIMAL(38, 0)) AS `kanon_of_table_0`,
    `w0`.table_values AS `kanon_in_all_0`,
    CAST(
      CASE
        WHEN ROW_NUMBER() OVER (PARTITION BY CAST(CAST(`r`.`se"x` AS STRING) AS BINARY), CAST(CAST(`r`.`zip; --` AS STRING) AS BINARY), CAST(CAST(`r`.`age
of 👩_low` AS STRING) AS BINARY), CAST(CAST(`r`.`age
of 👩_high` AS STRING) AS BINARY), CAST(CAST(`r`.`SELECT` AS STRING) AS BINARY), `r`.`ward 🏥` ORDER BY `r`.`ward 🏥`) = 1
          THEN SUM(r.`kanon_pair_1`) OVER (PARTITION BY CAST(CAST(`r`.`se"x` AS STRING) AS BINARY), CAST(CAST(`r`.`zip; --` AS STRING) AS BINARY), CAST(CAST(`r`.`age
of 👩_low` AS STRING) AS BINARY), CAST(CAST(`r`.`age
of 👩_high` AS STRING) AS BINARY), CAST(CAST(`r`.`SELECT` AS STRING) AS BINARY), `r`.`ward 🏥`)
      END
    AS DECIMAL(38, 0)) AS `kanon_in_class_1`,
    CAST(
      SUM(r.`kanon_pair_1`) OVER (PARTITION BY CAST(CAST(`r`.`se"x` AS STRING) AS BINARY), CAST(CAST(`r`.`zip; --` AS STRING) AS BINARY), CAST(CAST(`r`.`age
of 👩_low` AS STRING) AS BINARY), CAST(CAST(`r`.`age
of 👩_high` AS STRING) AS BINARY), CAST(CAST(`r`.`SELECT` AS STRING) AS BINARY)) AS DECIMAL(38, 0)
    ) AS `kanon_of_class_1`,
    CAST(`w1`.value_rows AS DECIMAL(38, 0)) AS `kanon_in_table_1`,
    CAST(`w1`.table_rows AS DECIMAL(38, 0)) AS `kanon_of_table_1`,
    `w1`.table_values AS `kanon_in_all_1`
  FROM (
  SELECT
    r.*,
    CASE
      WHEN `r`.`_kanon_entity` IS NOT NULL AND `r`.`dis'ease` IS NOT NULL AND ROW_NUMBER() OVER (PARTITION BY CAST(CAST(`r`.`se"x` AS STRING) AS BINARY), CAST(CAST(`r`.`zip; --` AS STRING) AS BINARY), CAST(CAST(`r`.`age
of 👩_low` AS STRING) AS BINARY), CAST(CAST(`r`.`age
of 👩_high` AS STRING) AS BINARY), CAST(CAST(`r`.`SELECT` AS STRING) AS BINARY), `r`.`dis'ease`, `r`.`_kanon_entity` ORDER BY `r`.`_kanon_entity`) = 1 THEN 1
    END AS `kanon_pair_0`,
    CASE
      WHEN `r`.`_kanon_entity` IS NOT NULL AND ROW_NUMBER() OVER (PARTITION BY CAST(CAST(`r`.`se"x` AS STRING) AS BINARY), CAST(CAST(`r`.`zip; --` AS STRING) AS BINARY), CAST(CAST(`r`.`age
of 👩_low` AS STRING) AS BINARY), CAST(CAST(`r`.`age
of 👩_high` AS STRING) AS BINARY), CAST(CAST(`r`.`SELECT` AS STRING) AS BINARY), `r`.`ward 🏥`, `r`.`_kanon_entity` ORDER BY `r`.`_kanon_entity`) = 1 THEN 1
    END AS `kanon_pair_1`
  FROM `staged'` AS r
  ) AS r
LEFT JOIN (SELECT
  `t`.`dis'ease` AS value,
  COUNT(DISTINCT `t`.`who`) AS value_rows,
  SUM(COUNT(DISTINCT `t`.`who`)) OVER () AS table_rows,
  COUNT(*) OVER () AS table_values,
  (SELECT COUNT(DISTINCT `t`.`who`) FROM `the source; DROP TABLE x` AS t WHERE `t`.`dis'ease` IS NOT NULL) AS table_persons
FROM `the source; DROP TABLE x` AS t
WHERE `t`.`dis'ease` IS NOT NULL
GROUP BY `t`.`dis'ease`
) AS `w0`
  ON `r`.`dis'ease` IS NOT DISTINCT FROM `w0`.`value`
LEFT JOIN (SELECT
  `t`.`ward 🏥` AS value,
  COUNT(DISTINCT `t`.`who`) AS value_rows,
  SUM(COUNT(DISTINCT `t`.`who`)) OVER () AS table_rows,
  COUNT(*) OVER () AS table_values,
  (SELECT COUNT(DISTINCT `t`.`who`) FROM `the source; DROP TABLE x` AS t) AS table_persons
FROM `the source; DROP TABLE x` AS t
GROUP BY `t`.`ward 🏥`
) AS `w1`
  ON `r`.`ward 🏥` IS NOT DISTINCT FROM `w1`.`value`
) AS t
  GROUP BY CAST(CAST(`se"x` AS STRING) AS BINARY), CAST(CAST(`zip; --` AS STRING) AS BINARY), CAST(CAST(`age
of 👩_low` AS STRING) AS BINARY), CAST(CAST(`age
of 👩_high` AS STRING) AS BINARY), CAST(CAST(`SELECT` AS STRING) AS BINARY)
) AS classes
