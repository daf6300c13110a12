-- duckdb
SELECT
  COUNT(*) AS classes,
  COALESCE(SUM(class_rows), 0) AS row_count,
  MIN("class_size") AS "smallest_class",
  MAX("measure_1") AS "most_1",
  COALESCE(SUM(CASE WHEN "class_size" >= 2 AND "measure_1" <= 500000000 THEN 0 ELSE 1 END), 0) AS short_classes
FROM (
  SELECT
    COUNT(*) AS class_rows,
    COUNT(*) AS "class_size",
    COALESCE(CAST(ROUND((
      1000000000 * (1 * SUM(CASE WHEN "kanon_in_class_0" IS NOT NULL AND "kanon_first_0_1" = 1 THEN LEAST("kanon_moved_0_1", "kanon_moved_0_1" - ("kanon_in_class_0_1" * "kanon_of_table_0" - "kanon_in_table_0_1" * "kanon_of_class_0")) ELSE 0 END) + 2 * MAX("kanon_moved_0"))
      + ((MAX("kanon_of_class_0") * MAX("kanon_of_table_0") * 2) - 1000000000 * (1 * SUM(CASE WHEN "kanon_in_class_0" IS NOT NULL AND "kanon_first_0_1" = 1 THEN LEAST("kanon_moved_0_1", "kanon_moved_0_1" - ("kanon_in_class_0_1" * "kanon_of_table_0" - "kanon_in_table_0_1" * "kanon_of_class_0")) ELSE 0 END) + 2 * MAX("kanon_moved_0")) % ((MAX("kanon_of_class_0") * MAX("kanon_of_table_0") * 2))) % ((MAX("kanon_of_class_0") * MAX("kanon_of_table_0") * 2))
    ) / ((MAX("kanon_of_class_0") * MAX("kanon_of_table_0") * 2))) AS BIGINT), 1000000000) AS "measure_1"
  FROM (
  SELECT
    r.*,
    SUM(GREATEST("kanon_in_class_0" * "kanon_of_table_0" - "kanon_in_table_0" * "kanon_of_class_0", 0)) OVER (PARTITION BY encode(CAST("r"."se""x" AS VARCHAR)), encode(CAST("r"."zip; --" AS VARCHAR)), encode(CAST("r"."age
of 👩_low" AS VARCHAR)), encode(CAST("r"."age
of 👩_high" AS VARCHAR)), encode(CAST("r"."SELECT" AS VARCHAR)), CASE WHEN "kanon_in_class_0" IS NULL THEN 1 ELSE 0 END, "kanon_own_node_0_1") AS "kanon_moved_0_1",
    SUM(CASE WHEN "kanon_first_0_1" = 1 THEN GREATEST("kanon_in_class_0_1" * "kanon_of_table_0" - "kanon_in_table_0_1" * "kanon_of_class_0", 0) ELSE 0 END) OVER (PARTITION BY encode(CAST("r"."se""x" AS VARCHAR)), encode(CAST("r"."zip; --" AS VARCHAR)), encode(CAST("r"."age
of 👩_low" AS VARCHAR)), encode(CAST("r"."age
of 👩_high" AS VARCHAR)), encode(CAST("r"."SELECT" AS VARCHAR)), CASE WHEN "kanon_in_class_0" IS NULL THEN 1 ELSE 0 END) AS "kanon_moved_0"
  FROM (
  SELECT
    r.*,
    SUM("kanon_in_class_0") OVER (PARTITION BY encode(CAST("r"."se""x" AS VARCHAR)), encode(CAST("r"."zip; --" AS VARCHAR)), encode(CAST("r"."age
of 👩_low" AS VARCHAR)), encode(CAST("r"."age
of 👩_high" AS VARCHAR)), encode(CAST("r"."SELECT" AS VARCHAR)), CASE WHEN "kanon_in_class_0" IS NULL THEN 1 ELSE 0 END, "kanon_own_node_0_1") AS "kanon_in_class_0_1",
    ROW_NUMBER() OVER (PARTITION BY encode(CAST("r"."se""x" AS VARCHAR)), encode(CAST("r"."zip; --" AS VARCHAR)), encode(CAST("r"."age
of 👩_low" AS VARCHAR)), encode(CAST("r"."age
of 👩_high" AS VARCHAR)), encode(CAST("r"."SELECT" AS VARCHAR)), CASE WHEN "kanon_in_class_0" IS NULL THEN 1 ELSE 0 END, "kanon_own_node_0_1" ORDER BY "kanon_in_class_0") AS "kanon_first_0_1"
  FROM (
  SELECT
    r.*,
    CAST(
      CASE
        WHEN "r"."dis'ease" IS NOT NULL AND ROW_NUMBER() OVER (PARTITION BY encode(CAST("r"."se""x" AS VARCHAR)), encode(CAST("r"."zip; --" AS VARCHAR)), encode(CAST("r"."age
of 👩_low" AS VARCHAR)), encode(CAST("r"."age
of 👩_high" AS VARCHAR)), encode(CAST("r"."SELECT" AS VARCHAR)), "r"."dis'ease" ORDER BY "r"."dis'ease") = 1
          THEN SUM(1) OVER (PARTITION BY encode(CAST("r"."se""x" AS VARCHAR)), encode(CAST("r"."zip; --" AS VARCHAR)), encode(CAST("r"."age
of 👩_low" AS VARCHAR)), encode(CAST("r"."age
of 👩_high" AS VARCHAR)), encode(CAST("r"."SELECT" AS VARCHAR)), "r"."dis'ease")
      END
    AS DECIMAL(38, 0)) AS "kanon_in_class_0",
    CAST(
      SUM(CASE WHEN "r"."dis'ease" IS NOT NULL THEN 1 END) OVER (PARTITION BY encode(CAST("r"."se""x" AS VARCHAR)), encode(CAST("r"."zip; --" AS VARCHAR)), encode(CAST("r"."age
of 👩_low" AS VARCHAR)), encode(CAST("r"."age
of 👩_high" AS VARCHAR)), encode(CAST("r"."SELECT" AS VARCHAR))) AS DECIMAL(38, 0)
    ) AS "kanon_of_class_0",
    CAST("w0".value_rows AS DECIMAL(38, 0)) AS "kanon_in_table_0",
    CAST("w0".table_rows AS DECIMAL(38, 0)) AS "kanon_of_table_0",
    "w0".table_values AS "kanon_in_all_0",
    "w0"."node_1" AS "kanon_own_node_0_1",
    CAST("w0"."node_rows_1" AS DECIMAL(38, 0)) AS "kanon_in_table_0_1"
  FROM "staged'" AS r
LEFT JOIN (SELECT
  g.value,
  g.value_rows,
  CASE WHEN SUM(CASE WHEN n."level_2" IS NULL THEN 1 ELSE 0 END) OVER () = 0 THEN g.table_rows END AS table_rows,
  g.table_values,
  n."level_1" AS "node_1",
  SUM(g.value_rows) OVER (PARTITION BY n."level_1") AS "node_rows_1"
FROM (
SELECT
  "t"."dis'ease" AS value,
  SUM(1) AS value_rows,
  SUM(SUM(1)) OVER () AS table_rows,
  COUNT(*) OVER () AS table_values
FROM "the source; DROP TABLE x" AS t
WHERE "t"."dis'ease" IS NOT NULL
GROUP BY "t"."dis'ease"
) AS g
LEFT JOIN "map zip; --" AS n ON "g"."value" IS NOT DISTINCT FROM "n"."value"
) AS "w0"
  ON "r"."dis'ease" IS NOT DISTINCT FROM "w0"."value"
  ) AS r
  ) AS r
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
  COALESCE(SUM(CASE WHEN "class_size" >= 2 AND "measure_1" <= 500000000 THEN 0 ELSE 1 END), 0) AS short_classes
FROM (
  SELECT
    COUNT(*) AS class_rows,
    COUNT(*) AS "class_size",
    COALESCE(CAST(ROUND((
      1000000000 * (1 * SUM(CASE WHEN "kanon_in_class_0" IS NOT NULL AND "kanon_first_0_1" = 1 THEN LEAST("kanon_moved_0_1", "kanon_moved_0_1" - ("kanon_in_class_0_1" * "kanon_of_table_0" - "kanon_in_table_0_1" * "kanon_of_class_0")) ELSE 0 END) + 2 * MAX("kanon_moved_0"))
      + ((MAX("kanon_of_class_0") * MAX("kanon_of_table_0") * 2) - 1000000000 * (1 * SUM(CASE WHEN "kanon_in_class_0" IS NOT NULL AND "kanon_first_0_1" = 1 THEN LEAST("kanon_moved_0_1", "kanon_moved_0_1" - ("kanon_in_class_0_1" * "kanon_of_table_0" - "kanon_in_table_0_1" * "kanon_of_class_0")) ELSE 0 END) + 2 * MAX("kanon_moved_0")) % ((MAX("kanon_of_class_0") * MAX("kanon_of_table_0") * 2))) % ((MAX("kanon_of_class_0") * MAX("kanon_of_table_0") * 2))
    ) / ((MAX("kanon_of_class_0") * MAX("kanon_of_table_0") * 2))) AS BIGINT), 1000000000) AS "measure_1"
  FROM (
  SELECT
    r.*,
    SUM(GREATEST("kanon_in_class_0" * "kanon_of_table_0" - "kanon_in_table_0" * "kanon_of_class_0", 0)) OVER (PARTITION BY (CAST("r"."se""x" AS TEXT) COLLATE "C"), (CAST("r"."zip; --" AS TEXT) COLLATE "C"), (CAST("r"."age
of 👩_low" AS TEXT) COLLATE "C"), (CAST("r"."age
of 👩_high" AS TEXT) COLLATE "C"), (CAST("r"."SELECT" AS TEXT) COLLATE "C"), CASE WHEN "kanon_in_class_0" IS NULL THEN 1 ELSE 0 END, "kanon_own_node_0_1") AS "kanon_moved_0_1",
    SUM(CASE WHEN "kanon_first_0_1" = 1 THEN GREATEST("kanon_in_class_0_1" * "kanon_of_table_0" - "kanon_in_table_0_1" * "kanon_of_class_0", 0) ELSE 0 END) OVER (PARTITION BY (CAST("r"."se""x" AS TEXT) COLLATE "C"), (CAST("r"."zip; --" AS TEXT) COLLATE "C"), (CAST("r"."age
of 👩_low" AS TEXT) COLLATE "C"), (CAST("r"."age
of 👩_high" AS TEXT) COLLATE "C"), (CAST("r"."SELECT" AS TEXT) COLLATE "C"), CASE WHEN "kanon_in_class_0" IS NULL THEN 1 ELSE 0 END) AS "kanon_moved_0"
  FROM (
  SELECT
    r.*,
    SUM("kanon_in_class_0") OVER (PARTITION BY (CAST("r"."se""x" AS TEXT) COLLATE "C"), (CAST("r"."zip; --" AS TEXT) COLLATE "C"), (CAST("r"."age
of 👩_low" AS TEXT) COLLATE "C"), (CAST("r"."age
of 👩_high" AS TEXT) COLLATE "C"), (CAST("r"."SELECT" AS TEXT) COLLATE "C"), CASE WHEN "kanon_in_class_0" IS NULL THEN 1 ELSE 0 END, "kanon_own_node_0_1") AS "kanon_in_class_0_1",
    ROW_NUMBER() OVER (PARTITION BY (CAST("r"."se""x" AS TEXT) COLLATE "C"), (CAST("r"."zip; --" AS TEXT) COLLATE "C"), (CAST("r"."age
of 👩_low" AS TEXT) COLLATE "C"), (CAST("r"."age
of 👩_high" AS TEXT) COLLATE "C"), (CAST("r"."SELECT" AS TEXT) COLLATE "C"), CASE WHEN "kanon_in_class_0" IS NULL THEN 1 ELSE 0 END, "kanon_own_node_0_1" ORDER BY "kanon_in_class_0") AS "kanon_first_0_1"
  FROM (
  SELECT
    r.*,
    CAST(
      CASE
        WHEN "r"."dis'ease" IS NOT NULL AND ROW_NUMBER() OVER (PARTITION BY (CAST("r"."se""x" AS TEXT) COLLATE "C"), (CAST("r"."zip; --" AS TEXT) COLLATE "C"), (CAST("r"."age
of 👩_low" AS TEXT) COLLATE "C"), (CAST("r"."age
of 👩_high" AS TEXT) COLLATE "C"), (CAST("r"."SELECT" AS TEXT) COLLATE "C"), "r"."dis'ease" ORDER BY "r"."dis'ease") = 1
          THEN SUM(1) OVER (PARTITION BY (CAST("r"."se""x" AS TEXT) COLLATE "C"), (CAST("r"."zip; --" AS TEXT) COLLATE "C"), (CAST("r"."age
of 👩_low" AS TEXT) COLLATE "C"), (CAST("r"."age
of 👩_high" AS TEXT) COLLATE "C"), (CAST("r"."SELECT" AS TEXT) COLLATE "C"), "r"."dis'ease")
      END
    AS DECIMAL(38, 0)) AS "kanon_in_class_0",
    CAST(
      SUM(CASE WHEN "r"."dis'ease" IS NOT NULL THEN 1 END) OVER (PARTITION BY (CAST("r"."se""x" AS TEXT) COLLATE "C"), (CAST("r"."zip; --" AS TEXT) COLLATE "C"), (CAST("r"."age
of 👩_low" AS TEXT) COLLATE "C"), (CAST("r"."age
of 👩_high" AS TEXT) COLLATE "C"), (CAST("r"."SELECT" AS TEXT) COLLATE "C")) AS DECIMAL(38, 0)
    ) AS "kanon_of_class_0",
    CAST("w0".value_rows AS DECIMAL(38, 0)) AS "kanon_in_table_0",
    CAST("w0".table_rows AS DECIMAL(38, 0)) AS "kanon_of_table_0",
    "w0".table_values AS "kanon_in_all_0",
    "w0"."node_1" AS "kanon_own_node_0_1",
    CAST("w0"."node_rows_1" AS DECIMAL(38, 0)) AS "kanon_in_table_0_1"
  FROM "staged'" AS r
LEFT JOIN (SELECT
  g.value,
  g.value_rows,
  CASE WHEN SUM(CASE WHEN n."level_2" IS NULL THEN 1 ELSE 0 END) OVER () = 0 THEN g.table_rows END AS table_rows,
  g.table_values,
  n."level_1" AS "node_1",
  SUM(g.value_rows) OVER (PARTITION BY n."level_1") AS "node_rows_1"
FROM (
SELECT
  "t"."dis'ease" AS value,
  SUM(1) AS value_rows,
  SUM(SUM(1)) OVER () AS table_rows,
  COUNT(*) OVER () AS table_values
FROM "the source; DROP TABLE x" AS t
WHERE "t"."dis'ease" IS NOT NULL
GROUP BY "t"."dis'ease"
) AS g
LEFT JOIN "map zip; --" AS n ON ARRAY["g"."value"] = ARRAY["n"."value"]
) AS "w0"
  ON ARRAY["r"."dis'ease"] = ARRAY["w0"."value"]
  ) AS r
  ) AS r
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
  COALESCE(SUM(CASE WHEN `class_size` >= 2 AND `measure_1` <= 500000000 THEN 0 ELSE 1 END), 0) AS short_classes
FROM (
  SELECT
    COUNT(*) AS class_rows,
    COUNT(*) AS `class_size`,
    COALESCE(CAST(ROUND((
      1000000000 * (1 * SUM(CASE WHEN `kanon_in_class_0` IS NOT NULL AND `kanon_first_0_1` = 1 THEN LEAST(`kanon_moved_0_1`, `kanon_moved_0_1` - (`kanon_in_class_0_1` * `kanon_of_table_0` - `kanon_in_table_0_1` * `kanon_of_class_0`)) ELSE 0 END) + 2 * MAX(`kanon_moved_0`))
      + ((MAX(`kanon_of_class_0`) * MAX(`kanon_of_table_0`) * 2) - 1000000000 * (1 * SUM(CASE WHEN `kanon_in_class_0` IS NOT NULL AND `kanon_first_0_1` = 1 THEN LEAST(`kanon_moved_0_1`, `kanon_moved_0_1` - (`kanon_in_class_0_1` * `kanon_of_table_0` - `kanon_in_table_0_1` * `kanon_of_class_0`)) ELSE 0 END) + 2 * MAX(`kanon_moved_0`)) % ((MAX(`kanon_of_class_0`) * MAX(`kanon_of_table_0`) * 2))) % ((MAX(`kanon_of_class_0`) * MAX(`kanon_of_table_0`) * 2))
    ) / ((MAX(`kanon_of_class_0`) * MAX(`kanon_of_table_0`) * 2))) AS BIGINT), 1000000000) AS `measure_1`
  FROM (
  SELECT
    r.*,
    SUM(GREATEST(`kanon_in_class_0` * `kanon_of_table_0` - `kanon_in_table_0` * `kanon_of_class_0`, 0)) OVER (PARTITION BY CAST(CAST(`r`.`se"x` AS STRING) AS BINARY), CAST(CAST(`r`.`zip; --` AS STRING) AS BINARY), CAST(CAST(`r`.`age
of 👩_low` AS STRING) AS BINARY), CAST(CAST(`r`.`age
of 👩_high` AS STRING) AS BINARY), CAST(CAST(`r`.`SELECT` AS STRING) AS BINARY), CASE WHEN `kanon_in_class_0` IS NULL THEN 1 ELSE 0 END, `kanon_own_node_0_1`) AS `kanon_moved_0_1`,
    SUM(CASE WHEN `kanon_first_0_1` = 1 THEN GREATEST(`kanon_in_class_0_1` * `kanon_of_table_0` - `kanon_in_table_0_1` * `kanon_of_class_0`, 0) ELSE 0 END) OVER (PARTITION BY CAST(CAST(`r`.`se"x` AS STRING) AS BINARY), CAST(CAST(`r`.`zip; --` AS STRING) AS BINARY), CAST(CAST(`r`.`age
of 👩_low` AS STRING) AS BINARY), CAST(CAST(`r`.`age
of 👩_high` AS STRING) AS BINARY), CAST(CAST(`r`.`SELECT` AS STRING) AS BINARY), CASE WHEN `kanon_in_class_0` IS NULL THEN 1 ELSE 0 END) AS `kanon_moved_0`
  FROM (
  SELECT
    r.*,
    SUM(`kanon_in_class_0`) OVER (PARTITION BY CAST(CAST(`r`.`se"x` AS STRING) AS BINARY), CAST(CAST(`r`.`zip; --` AS STRING) AS BINARY), CAST(CAST(`r`.`age
of 👩_low` AS STRING) AS BINARY), CAST(CAST(`r`.`age
of 👩_high` AS STRING) AS BINARY), CAST(CAST(`r`.`SELECT` AS STRING) AS BINARY), CASE WHEN `kanon_in_class_0` IS NULL THEN 1 ELSE 0 END, `kanon_own_node_0_1`) AS `kanon_in_class_0_1`,
    ROW_NUMBER() OVER (PARTITION BY CAST(CAST(`r`.`se"x` AS STRING) AS BINARY), CAST(CAST(`r`.`zip; --` AS STRING) AS BINARY), CAST(CAST(`r`.`age
of 👩_low` AS STRING) AS BINARY), CAST(CAST(`r`.`age
of 👩_high` AS STRING) AS BINARY), CAST(CAST(`r`.`SELECT` AS STRING) AS BINARY), CASE WHEN `kanon_in_class_0` IS NULL THEN 1 ELSE 0 END, `kanon_own_node_0_1` ORDER BY `kanon_in_class_0`) AS `kanon_first_0_1`
  FROM (
  SELECT
    r.*,
    CAST(
      CASE
        WHEN `r`.`dis'ease` IS NOT NULL AND ROW_NUMBER() OVER (PARTITION BY CAST(CAST(`r`.`se"x` AS STRING) AS BINARY), CAST(CAST(`r`.`zip; --` AS STRING) AS BINARY), CAST(CAST(`r`.`age
of 👩_low` AS STRING) AS BINARY), CAST(CAST(`r`.`age
of 👩_high` AS STRING) AS BINARY), CAST(CAST(`r`.`SELECT` AS STRING) AS BINARY), `r`.`dis'ease` ORDER BY `r`.`dis'ease`) = 1
          THEN SUM(1) OVER (PARTITION BY CAST(CAST(`r`.`se"x` AS STRING) AS BINARY), CAST(CAST(`r`.`zip; --` AS STRING) AS BINARY), CAST(CAST(`r`.`age
of 👩_low` AS STRING) AS BINARY), CAST(CAST(`r`.`age
of 👩_high` AS STRING) AS BINARY), CAST(CAST(`r`.`SELECT` AS STRING) AS BINARY), `r`.`dis'ease`)
      END
    AS DECIMAL(38, 0)) AS `kanon_in_class_0`,
    CAST(
      SUM(CASE WHEN `r`.`dis'ease` IS NOT NULL THEN 1 END) OVER (PARTITION BY CAST(CAST(`r`.`se"x` AS STRING) AS BINARY), CAST(CAST(`r`.`zip; --` AS STRING) AS BINARY), CAST(CAST(`r`.`age
of 👩_low` AS STRING) AS BINARY), CAST(CAST(`r`.`age
of 👩_high` AS STRING) AS BINARY), CAST(CAST(`r`.`SELECT` AS STRING) AS BINARY)) AS DECIMAL(38, 0)
    ) AS `kanon_of_class_0`,
    CAST(`w0`.value_rows AS DECIMAL(38, 0)) AS `kanon_in_table_0`,
    CAST(`w0`.table_rows AS DECIMAL(38, 0)) AS `kanon_of_table_0`,
    `w0`.table_values AS `kanon_in_all_0`,
    `w0`.`node_1` AS `kanon_own_node_0_1`,
    CAST(`w0`.`node_rows_1` AS DECIMAL(38, 0)) AS `kanon_in_table_0_1`
  FROM `staged'` AS r
LEFT JOIN (SELECT
  g.value,
  g.value_rows,
  CASE WHEN SUM(CASE WHEN n.`level_2` IS NULL THEN 1 ELSE 0 END) OVER () = 0 THEN g.table_rows END AS table_rows,
  g.table_values,
  n.`level_1` AS `node_1`,
  SUM(g.value_rows) OVER (PARTITION BY n.`level_1`) AS `node_rows_1`
FROM (
SELECT
  `t`.`dis'ease` AS value,
  SUM(1) AS value_rows,
  SUM(SUM(1)) OVER () AS table_rows,
  COUNT(*) OVER () AS table_values
FROM `the source; DROP TABLE x` AS t
WHERE `t`.`dis'ease` IS NOT NULL
GROUP BY `t`.`dis'ease`
) AS g
LEFT JOIN `map zip; --` AS n ON `g`.`value` IS NOT DISTINCT FROM `n`.`value`
) AS `w0`
  ON `r`.`dis'ease` IS NOT DISTINCT FROM `w0`.`value`
  ) AS r
  ) AS r
) AS t
  GROUP BY CAST(CAST(`se"x` AS STRING) AS BINARY), CAST(CAST(`zip; --` AS STRING) AS BINARY), CAST(CAST(`age
of 👩_low` AS STRING) AS BINARY), CAST(CAST(`age
of 👩_high` AS STRING) AS BINARY), CAST(CAST(`SELECT` AS STRING) AS BINARY)
) AS classes
