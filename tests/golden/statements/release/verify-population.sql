-- duckdb
SELECT
  COUNT(*) AS classes,
  COALESCE(SUM(class_rows), 0) AS row_count,
  MIN("class_size") AS "smallest_class",
  MIN("measure_1") AS "least_1",
  MAX("measure_2") AS "most_2",
  MIN("measure_3") AS "least_3",
  MAX("measure_4") AS "most_4",
  MAX("measure_5") AS "most_5",
  MIN("measure_6") AS "least_6",
  COALESCE(SUM(CASE WHEN "class_size" >= 1 AND "measure_1" >= 2 AND "measure_2" <= 750000000 AND "measure_3" >= 100000000 AND "measure_4" <= 0 AND "measure_5" <= 750000000 AND "measure_6" >= 100000000 THEN 0 ELSE 1 END), 0) AS short_classes
FROM (
  SELECT
    COUNT(*) AS class_rows,
    COUNT(*) AS "class_size",
    COALESCE(MAX("kanon_in_population"), 0) AS "measure_1",
    COALESCE(CAST(ROUND((
      1000000000 * CAST(COUNT(*) AS DECIMAL(38, 0))
      + (NULLIF(CAST(COALESCE(MAX("kanon_in_population"), 0) AS DECIMAL(38, 0)), 0) - 1000000000 * CAST(COUNT(*) AS DECIMAL(38, 0)) % (NULLIF(CAST(COALESCE(MAX("kanon_in_population"), 0) AS DECIMAL(38, 0)), 0))) % (NULLIF(CAST(COALESCE(MAX("kanon_in_population"), 0) AS DECIMAL(38, 0)), 0))
    ) / (NULLIF(CAST(COALESCE(MAX("kanon_in_population"), 0) AS DECIMAL(38, 0)), 0))) AS BIGINT), 1000000000000000000) AS "measure_2",
    COALESCE(CAST(ROUND((
      1000000000 * CAST(COUNT(*) AS DECIMAL(38, 0))
      - 1000000000 * CAST(COUNT(*) AS DECIMAL(38, 0)) % (NULLIF(CAST(COALESCE(MAX("kanon_in_population"), 0) AS DECIMAL(38, 0)), 0))
    ) / (NULLIF(CAST(COALESCE(MAX("kanon_in_population"), 0) AS DECIMAL(38, 0)), 0))) AS BIGINT), 1000000000000000000) AS "measure_3",
    COALESCE(MAX("kanon_absent_rows"), 0) AS "measure_4",
    COALESCE(CAST(ROUND((
      1000000000 * CAST(MAX("kanon_rest_members") AS DECIMAL(38, 0))
      + (NULLIF(CAST(COALESCE(MAX("kanon_rest_rows"), 0) AS DECIMAL(38, 0)), 0) - 1000000000 * CAST(MAX("kanon_rest_members") AS DECIMAL(38, 0)) % (NULLIF(CAST(COALESCE(MAX("kanon_rest_rows"), 0) AS DECIMAL(38, 0)), 0))) % (NULLIF(CAST(COALESCE(MAX("kanon_rest_rows"), 0) AS DECIMAL(38, 0)), 0))
    ) / (NULLIF(CAST(COALESCE(MAX("kanon_rest_rows"), 0) AS DECIMAL(38, 0)), 0))) AS BIGINT), CASE WHEN 1000000000 * CAST(MAX("kanon_rest_members") AS DECIMAL(38, 0)) = 0 THEN 0 ELSE 1000000000000000000 END) AS "measure_5",
    COALESCE(CAST(ROUND((
      1000000000 * CAST(MAX("kanon_rest_members") AS DECIMAL(38, 0))
      - 1000000000 * CAST(MAX("kanon_rest_members") AS DECIMAL(38, 0)) % (NULLIF(CAST(COALESCE(MAX("kanon_rest_rows"), 0) AS DECIMAL(38, 0)), 0))
    ) / (NULLIF(CAST(COALESCE(MAX("kanon_rest_rows"), 0) AS DECIMAL(38, 0)), 0))) AS BIGINT), 1000000000) AS "measure_6"
  FROM (
  SELECT
    r.*,
    g."kanon_absent_rows",
    g."kanon_rest_rows",
    (SELECT COUNT(*) FROM "the source; DROP TABLE x" AS s) - COUNT(*) OVER () AS "kanon_rest_members",
    g.in_population AS "kanon_in_population"
  FROM (
    SELECT
      r.*,
      encode(CAST("r"."se""x" AS VARCHAR)) AS "kanon_key_0",
      encode(CAST("r"."zip; --" AS VARCHAR)) AS "kanon_key_1",
      encode(CAST("r"."age
of 👩_low" AS VARCHAR)) AS "kanon_key_2",
      encode(CAST("r"."age
of 👩_high" AS VARCHAR)) AS "kanon_key_3",
      encode(CAST("r"."SELECT" AS VARCHAR)) AS "kanon_key_4"
    FROM "staged'" AS r
  ) AS r
  LEFT JOIN (
    SELECT
      n.*,
      SUM(CASE WHEN "of_absent_rows"."is_there" IS NULL THEN n.in_population ELSE 0 END) OVER () AS "kanon_absent_rows",
      SUM(CASE WHEN "of_rest_rows"."is_there" IS NULL THEN n.in_population ELSE 0 END) OVER () AS "kanon_rest_rows"
    FROM (
      SELECT
        encode(CAST("t"."se""x" AS VARCHAR)) AS "kanon_key_0",
        encode(CAST("t"."zip; --" AS VARCHAR)) AS "kanon_key_1",
        encode(CAST("t"."age
of 👩_low" AS VARCHAR)) AS "kanon_key_2",
        encode(CAST("t"."age
of 👩_high" AS VARCHAR)) AS "kanon_key_3",
        encode(CAST("t"."SELECT" AS VARCHAR)) AS "kanon_key_4",
        CAST(SUM(1) AS BIGINT) AS in_population
      FROM "people's labels" AS t
      GROUP BY 1, 2, 3, 4, 5
    ) AS n
    LEFT JOIN (
      SELECT DISTINCT
        encode(CAST("t"."se""x" AS VARCHAR)) AS "kanon_key_0",
        encode(CAST("t"."zip; --" AS VARCHAR)) AS "kanon_key_1",
        encode(CAST("t"."age
of 👩_low" AS VARCHAR)) AS "kanon_key_2",
        encode(CAST("t"."age
of 👩_high" AS VARCHAR)) AS "kanon_key_3",
        encode(CAST("t"."SELECT" AS VARCHAR)) AS "kanon_key_4",
        1 AS is_there
      FROM "people's labels" AS t
    ) AS "of_absent_rows"
      ON "n"."kanon_key_0" IS NOT DISTINCT FROM "of_absent_rows"."kanon_key_0" AND "n"."kanon_key_1" IS NOT DISTINCT FROM "of_absent_rows"."kanon_key_1" AND "n"."kanon_key_2" IS NOT DISTINCT FROM "of_absent_rows"."kanon_key_2" AND "n"."kanon_key_3" IS NOT DISTINCT FROM "of_absent_rows"."kanon_key_3" AND "n"."kanon_key_4" IS NOT DISTINCT FROM "of_absent_rows"."kanon_key_4"
    LEFT JOIN (
      SELECT DISTINCT
        encode(CAST("t"."se""x" AS VARCHAR)) AS "kanon_key_0",
        encode(CAST("t"."zip; --" AS VARCHAR)) AS "kanon_key_1",
        encode(CAST("t"."age
of 👩_low" AS VARCHAR)) AS "kanon_key_2",
        encode(CAST("t"."age
of 👩_high" AS VARCHAR)) AS "kanon_key_3",
        encode(CAST("t"."SELECT" AS VARCHAR)) AS "kanon_key_4",
        1 AS is_there
      FROM "staged'" AS t
    ) AS "of_rest_rows"
      ON "n"."kanon_key_0" IS NOT DISTINCT FROM "of_rest_rows"."kanon_key_0" AND "n"."kanon_key_1" IS NOT DISTINCT FROM "of_rest_rows"."kanon_key_1" AND "n"."kanon_key_2" IS NOT DISTINCT FROM "of_rest_rows"."kanon_key_2" AND "n"."kanon_key_3" IS NOT DISTINCT FROM "of_rest_rows"."kanon_key_3" AND "n"."kanon_key_4" IS NOT DISTINCT FROM "of_rest_rows"."kanon_key_4"
  ) AS g
    ON "r"."kanon_key_0" IS NOT DISTINCT FROM "g"."kanon_key_0" AND "r"."kanon_key_1" IS NOT DISTINCT FROM "g"."kanon_key_1" AND "r"."kanon_key_2" IS NOT DISTINCT FROM "g"."kanon_key_2" AND "r"."kanon_key_3" IS NOT DISTINCT FROM "g"."kanon_key_3" AND "r"."kanon_key_4" IS NOT DISTINCT FROM "g"."kanon_key_4"
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
  MIN("measure_1") AS "least_1",
  MAX("measure_2") AS "most_2",
  MIN("measure_3") AS "least_3",
  MAX("measure_4") AS "most_4",
  MAX("measure_5") AS "most_5",
  MIN("measure_6") AS "least_6",
  COALESCE(SUM(CASE WHEN "class_size" >= 1 AND "measure_1" >= 2 AND "measure_2" <= 750000000 AND "measure_3" >= 100000000 AND "measure_4" <= 0 AND "measure_5" <= 750000000 AND "measure_6" >= 100000000 THEN 0 ELSE 1 END), 0) AS short_classes
FROM (
  SELECT
    COUNT(*) AS class_rows,
    COUNT(*) AS "class_size",
    COALESCE(MAX("kanon_in_population"), 0) AS "measure_1",
    COALESCE(CAST(ROUND((
      1000000000 * CAST(COUNT(*) AS DECIMAL(38, 0))
      + (NULLIF(CAST(COALESCE(MAX("kanon_in_population"), 0) AS DECIMAL(38, 0)), 0) - 1000000000 * CAST(COUNT(*) AS DECIMAL(38, 0)) % (NULLIF(CAST(COALESCE(MAX("kanon_in_population"), 0) AS DECIMAL(38, 0)), 0))) % (NULLIF(CAST(COALESCE(MAX("kanon_in_population"), 0) AS DECIMAL(38, 0)), 0))
    ) / (NULLIF(CAST(COALESCE(MAX("kanon_in_population"), 0) AS DECIMAL(38, 0)), 0))) AS BIGINT), 1000000000000000000) AS "measure_2",
    COALESCE(CAST(ROUND((
      1000000000 * CAST(COUNT(*) AS DECIMAL(38, 0))
      - 1000000000 * CAST(COUNT(*) AS DECIMAL(38, 0)) % (NULLIF(CAST(COALESCE(MAX("kanon_in_population"), 0) AS DECIMAL(38, 0)), 0))
    ) / (NULLIF(CAST(COALESCE(MAX("kanon_in_population"), 0) AS DECIMAL(38, 0)), 0))) AS BIGINT), 1000000000000000000) AS "measure_3",
    COALESCE(MAX("kanon_absent_rows"), 0) AS "measure_4",
    COALESCE(CAST(ROUND((
      1000000000 * CAST(MAX("kanon_rest_members") AS DECIMAL(38, 0))
      + (NULLIF(CAST(COALESCE(MAX("kanon_rest_rows"), 0) AS DECIMAL(38, 0)), 0) - 1000000000 * CAST(MAX("kanon_rest_members") AS DECIMAL(38, 0)) % (NULLIF(CAST(COALESCE(MAX("kanon_rest_rows"), 0) AS DECIMAL(38, 0)), 0))) % (NULLIF(CAST(COALESCE(MAX("kanon_rest_rows"), 0) AS DECIMAL(38, 0)), 0))
    ) / (NULLIF(CAST(COALESCE(MAX("kanon_rest_rows"), 0) AS DECIMAL(38, 0)), 0))) AS BIGINT), CASE WHEN 1000000000 * CAST(MAX("kanon_rest_members") AS DECIMAL(38, 0)) = 0 THEN 0 ELSE 1000000000000000000 END) AS "measure_5",
    COALESCE(CAST(ROUND((
      1000000000 * CAST(MAX("kanon_rest_members") AS DECIMAL(38, 0))
      - 1000000000 * CAST(MAX("kanon_rest_members") AS DECIMAL(38, 0)) % (NULLIF(CAST(COALESCE(MAX("kanon_rest_rows"), 0) AS DECIMAL(38, 0)), 0))
    ) / (NULLIF(CAST(COALESCE(MAX("kanon_rest_rows"), 0) AS DECIMAL(38, 0)), 0))) AS BIGINT), 1000000000) AS "measure_6"
  FROM (
  SELECT
    r.*,
    g."kanon_absent_rows",
    g."kanon_rest_rows",
    (SELECT COUNT(*) FROM "the source; DROP TABLE x" AS s) - COUNT(*) OVER () AS "kanon_rest_members",
    g.in_population AS "kanon_in_population"
  FROM (
    SELECT
      r.*,
      (CAST("r"."se""x" AS TEXT) COLLATE "C") AS "kanon_key_0",
      (CAST("r"."zip; --" AS TEXT) COLLATE "C") AS "kanon_key_1",
      (CAST("r"."age
of 👩_low" AS TEXT) COLLATE "C") AS "kanon_key_2",
      (CAST("r"."age
of 👩_high" AS TEXT) COLLATE "C") AS "kanon_key_3",
      (CAST("r"."SELECT" AS TEXT) COLLATE "C") AS "kanon_key_4"
    FROM "staged'" AS r
  ) AS r
  LEFT JOIN (
    SELECT
      n.*,
      SUM(CASE WHEN "of_absent_rows"."is_there" IS NULL THEN n.in_population ELSE 0 END) OVER () AS "kanon_absent_rows",
      SUM(CASE WHEN "of_rest_rows"."is_there" IS NULL THEN n.in_population ELSE 0 END) OVER () AS "kanon_rest_rows"
    FROM (
      SELECT
        (CAST("t"."se""x" AS TEXT) COLLATE "C") AS "kanon_key_0",
        (CAST("t"."zip; --" AS TEXT) COLLATE "C") AS "kanon_key_1",
        (CAST("t"."age
of 👩_low" AS TEXT) COLLATE "C") AS "kanon_key_2",
        (CAST("t"."age
of 👩_high" AS TEXT) COLLATE "C") AS "kanon_key_3",
        (CAST("t"."SELECT" AS TEXT) COLLATE "C") AS "kanon_key_4",
        CAST(SUM(1) AS BIGINT) AS in_population
      FROM "people's labels" AS t
      GROUP BY 1, 2, 3, 4, 5
    ) AS n
    LEFT JOIN (
      SELECT DISTINCT
        (CAST("t"."se""x" AS TEXT) COLLATE "C") AS "kanon_key_0",
        (CAST("t"."zip; --" AS TEXT) COLLATE "C") AS "kanon_key_1",
        (CAST("t"."age
of 👩_low" AS TEXT) COLLATE "C") AS "kanon_key_2",
        (CAST("t"."age
of 👩_high" AS TEXT) COLLATE "C") AS "kanon_key_3",
        (CAST("t"."SELECT" AS TEXT) COLLATE "C") AS "kanon_key_4",
        1 AS is_there
      FROM "people's labels" AS t
    ) AS "of_absent_rows"
      ON ARRAY["n"."kanon_key_0"] = ARRAY["of_absent_rows"."kanon_key_0"] AND ARRAY["n"."kanon_key_1"] = ARRAY["of_absent_rows"."kanon_key_1"] AND ARRAY["n"."kanon_key_2"] = ARRAY["of_absent_rows"."kanon_key_2"] AND ARRAY["n"."kanon_key_3"] = ARRAY["of_absent_rows"."kanon_key_3"] AND ARRAY["n"."kanon_key_4"] = ARRAY["of_absent_rows"."kanon_key_4"]
    LEFT JOIN (
      SELECT DISTINCT
        (CAST("t"."se""x" AS TEXT) COLLATE "C") AS "kanon_key_0",
        (CAST("t"."zip; --" AS TEXT) COLLATE "C") AS "kanon_key_1",
        (CAST("t"."age
of 👩_low" AS TEXT) COLLATE "C") AS "kanon_key_2",
        (CAST("t"."age
of 👩_high" AS TEXT) COLLATE "C") AS "kanon_key_3",
        (CAST("t"."SELECT" AS TEXT) COLLATE "C") AS "kanon_key_4",
        1 AS is_there
      FROM "staged'" AS t
    ) AS "of_rest_rows"
      ON ARRAY["n"."kanon_key_0"] = ARRAY["of_rest_rows"."kanon_key_0"] AND ARRAY["n"."kanon_key_1"] = ARRAY["of_rest_rows"."kanon_key_1"] AND ARRAY["n"."kanon_key_2"] = ARRAY["of_rest_rows"."kanon_key_2"] AND ARRAY["n"."kanon_key_3"] = ARRAY["of_rest_rows"."kanon_key_3"] AND ARRAY["n"."kanon_key_4"] = ARRAY["of_rest_rows"."kanon_key_4"]
  ) AS g
    ON ARRAY["r"."kanon_key_0"] = ARRAY["g"."kanon_key_0"] AND ARRAY["r"."kanon_key_1"] = ARRAY["g"."kanon_key_1"] AND ARRAY["r"."kanon_key_2"] = ARRAY["g"."kanon_key_2"] AND ARRAY["r"."kanon_key_3"] = ARRAY["g"."kanon_key_3"] AND ARRAY["r"."kanon_key_4"] = ARRAY["g"."kanon_key_4"]
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
  MIN(`measure_1`) AS `least_1`,
  MAX(`measure_2`) AS `most_2`,
  MIN(`measure_3`) AS `least_3`,
  MAX(`measure_4`) AS `most_4`,
  MAX(`measure_5`) AS `most_5`,
  MIN(`measure_6`) AS `least_6`,
  COALESCE(SUM(CASE WHEN `class_size` >= 1 AND `measure_1` >= 2 AND `measure_2` <= 750000000 AND `measure_3` >= 100000000 AND `measure_4` <= 0 AND `measure_5` <= 750000000 AND `measure_6` >= 100000000 THEN 0 ELSE 1 END), 0) AS short_classes
FROM (
  SELECT
    COUNT(*) AS class_rows,
    COUNT(*) AS `class_size`,
    COALESCE(MAX(`kanon_in_population`), 0) AS `measure_1`,
    COALESCE(CAST(ROUND((
      1000000000 * CAST(COUNT(*) AS DECIMAL(38, 0))
      + (NULLIF(CAST(COALESCE(MAX(`kanon_in_population`), 0) AS DECIMAL(38, 0)), 0) - 1000000000 * CAST(COUNT(*) AS DECIMAL(38, 0)) % (NULLIF(CAST(COALESCE(MAX(`kanon_in_population`), 0) AS DECIMAL(38, 0)), 0))) % (NULLIF(CAST(COALESCE(MAX(`kanon_in_population`), 0) AS DECIMAL(38, 0)), 0))
    ) / (NULLIF(CAST(COALESCE(MAX(`kanon_in_population`), 0) AS DECIMAL(38, 0)), 0))) AS BIGINT), 1000000000000000000) AS `measure_2`,
    COALESCE(CAST(ROUND((
      1000000000 * CAST(COUNT(*) AS DECIMAL(38, 0))
      - 1000000000 * CAST(COUNT(*) AS DECIMAL(38, 0)) % (NULLIF(CAST(COALESCE(MAX(`kanon_in_population`), 0) AS DECIMAL(38, 0)), 0))
    ) / (NULLIF(CAST(COALESCE(MAX(`kanon_in_population`), 0) AS DECIMAL(38, 0)), 0))) AS BIGINT), 1000000000000000000) AS `measure_3`,
    COALESCE(MAX(`kanon_absent_rows`), 0) AS `measure_4`,
    COALESCE(CAST(ROUND((
      1000000000 * CAST(MAX(`kanon_rest_members`) AS DECIMAL(38, 0))
      + (NULLIF(CAST(COALESCE(MAX(`kanon_rest_rows`), 0) AS DECIMAL(38, 0)), 0) - 1000000000 * CAST(MAX(`kanon_rest_members`) AS DECIMAL(38, 0)) % (NULLIF(CAST(COALESCE(MAX(`kanon_rest_rows`), 0) AS DECIMAL(38, 0)), 0))) % (NULLIF(CAST(COALESCE(MAX(`kanon_rest_rows`), 0) AS DECIMAL(38, 0)), 0))
    ) / (NULLIF(CAST(COALESCE(MAX(`kanon_rest_rows`), 0) AS DECIMAL(38, 0)), 0))) AS BIGINT), CASE WHEN 1000000000 * CAST(MAX(`kanon_rest_members`) AS DECIMAL(38, 0)) = 0 THEN 0 ELSE 1000000000000000000 END) AS `measure_5`,
    COALESCE(CAST(ROUND((
      1000000000 * CAST(MAX(`kanon_rest_members`) AS DECIMAL(38, 0))
      - 1000000000 * CAST(MAX(`kanon_rest_members`) AS DECIMAL(38, 0)) % (NULLIF(CAST(COALESCE(MAX(`kanon_rest_rows`), 0) AS DECIMAL(38, 0)), 0))
    ) / (NULLIF(CAST(COALESCE(MAX(`kanon_rest_rows`), 0) AS DECIMAL(38, 0)), 0))) AS BIGINT), 1000000000) AS `measure_6`
  FROM (
  SELECT
    r.*,
    g.`kanon_absent_rows`,
    g.`kanon_rest_rows`,
    (SELECT COUNT(*) FROM `the source; DROP TABLE x` AS s) - COUNT(*) OVER () AS `kanon_rest_members`,
    g.in_population AS `kanon_in_population`
  FROM (
    SELECT
      r.*,
      CAST(CAST(`r`.`se"x` AS STRING) AS BINARY) AS `kanon_key_0`,
      CAST(CAST(`r`.`zip; --` AS STRING) AS BINARY) AS `kanon_key_1`,
      CAST(CAST(`r`.`age
of 👩_low` AS STRING) AS BINARY) AS `kanon_key_2`,
      CAST(CAST(`r`.`age
of 👩_high` AS STRING) AS BINARY) AS `kanon_key_3`,
      CAST(CAST(`r`.`SELECT` AS STRING) AS BINARY) AS `kanon_key_4`
    FROM `staged'` AS r
  ) AS r
  LEFT JOIN (
    SELECT
      n.*,
      SUM(CASE WHEN `of_absent_rows`.`is_there` IS NULL THEN n.in_population ELSE 0 END) OVER () AS `kanon_absent_rows`,
      SUM(CASE WHEN `of_rest_rows`.`is_there` IS NULL THEN n.in_population ELSE 0 END) OVER () AS `kanon_rest_rows`
    FROM (
      SELECT
        CAST(CAST(`t`.`se"x` AS STRING) AS BINARY) AS `kanon_key_0`,
        CAST(CAST(`t`.`zip; --` AS STRING) AS BINARY) AS `kanon_key_1`,
        CAST(CAST(`t`.`age
of 👩_low` AS STRING) AS BINARY) AS `kanon_key_2`,
        CAST(CAST(`t`.`age
of 👩_high` AS STRING) AS BINARY) AS `kanon_key_3`,
        CAST(CAST(`t`.`SELECT` AS STRING) AS BINARY) AS `kanon_key_4`,
        CAST(SUM(1) AS BIGINT) AS in_population
      FROM `people's labels` AS t
      GROUP BY 1, 2, 3, 4, 5
    ) AS n
    LEFT JOIN (
      SELECT DISTINCT
        CAST(CAST(`t`.`se"x` AS STRING) AS BINARY) AS `kanon_key_0`,
        CAST(CAST(`t`.`zip; --` AS STRING) AS BINARY) AS `kanon_key_1`,
        CAST(CAST(`t`.`age
of 👩_low` AS STRING) AS BINARY) AS `kanon_key_2`,
        CAST(CAST(`t`.`age
of 👩_high` AS STRING) AS BINARY) AS `kanon_key_3`,
        CAST(CAST(`t`.`SELECT` AS STRING) AS BINARY) AS `kanon_key_4`,
        1 AS is_there
      FROM `people's labels` AS t
    ) AS `of_absent_rows`
      ON `n`.`kanon_key_0` IS NOT DISTINCT FROM `of_absent_rows`.`kanon_key_0` AND `n`.`kanon_key_1` IS NOT DISTINCT FROM `of_absent_rows`.`kanon_key_1` AND `n`.`kanon_key_2` IS NOT DISTINCT FROM `of_absent_rows`.`kanon_key_2` AND `n`.`kanon_key_3` IS NOT DISTINCT FROM `of_absent_rows`.`kanon_key_3` AND `n`.`kanon_key_4` IS NOT DISTINCT FROM `of_absent_rows`.`kanon_key_4`
    LEFT JOIN (
      SELECT DISTINCT
        CAST(CAST(`t`.`se"x` AS STRING) AS BINARY) AS `kanon_key_0`,
        CAST(CAST(`t`.`zip; --` AS STRING) AS BINARY) AS `kanon_key_1`,
        CAST(CAST(`t`.`age
of 👩_low` AS STRING) AS BINARY) AS `kanon_key_2`,
        CAST(CAST(`t`.`age
of 👩_high` AS STRING) AS BINARY) AS `kanon_key_3`,
        CAST(CAST(`t`.`SELECT` AS STRING) AS BINARY) AS `kanon_key_4`,
        1 AS is_there
      FROM `staged'` AS t
    ) AS `of_rest_rows`
      ON `n`.`kanon_key_0` IS NOT DISTINCT FROM `of_rest_rows`.`kanon_key_0` AND `n`.`kanon_key_1` IS NOT DISTINCT FROM `of_rest_rows`.`kanon_key_1` AND `n`.`kanon_key_2` IS NOT DISTINCT FROM `of_rest_rows`.`kanon_key_2` AND `n`.`kanon_key_3` IS NOT DISTINCT FROM `of_rest_rows`.`kanon_key_3` AND `n`.`kanon_key_4` IS NOT DISTINCT FROM `of_rest_rows`.`kanon_key_4`
  ) AS g
    ON `r`.`kanon_key_0` IS NOT DISTINCT FROM `g`.`kanon_key_0` AND `r`.`kanon_key_1` IS NOT DISTINCT FROM `g`.`kanon_key_1` AND `r`.`kanon_key_2` IS NOT DISTINCT FROM `g`.`kanon_key_2` AND `r`.`kanon_key_3` IS NOT DISTINCT FROM `g`.`kanon_key_3` AND `r`.`kanon_key_4` IS NOT DISTINCT FROM `g`.`kanon_key_4`
) AS t
  GROUP BY CAST(CAST(`se"x` AS STRING) AS BINARY), CAST(CAST(`zip; --` AS STRING) AS BINARY), CAST(CAST(`age
of 👩_low` AS STRING) AS BINARY), CAST(CAST(`age
of 👩_high` AS STRING) AS BINARY), CAST(CAST(`SELECT` AS STRING) AS BINARY)
) AS classes
