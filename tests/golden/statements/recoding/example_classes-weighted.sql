-- duckdb
SELECT
  "label_1",
  "label_2",
  "label_3",
  "label_4",
  "label_5",
  class_rows,
  class_size
FROM (
  SELECT
    c.*,
    CONCAT(
      COALESCE(LENGTH("c"."label_1") || ':' || "c"."label_1", 'NULL'),
      ',',
      COALESCE(LENGTH("c"."label_2") || ':' || "c"."label_2", 'NULL'),
      ',',
      COALESCE(LENGTH("c"."label_3") || ':' || "c"."label_3", 'NULL'),
      ',',
      COALESCE(LENGTH("c"."label_4") || ':' || "c"."label_4", 'NULL'),
      ',',
      COALESCE(LENGTH("c"."label_5") || ':' || "c"."label_5", 'NULL'),
      ','
    ) AS row_text
  FROM (
    SELECT
      decode("k"."key_1") AS "label_1",
      decode("k"."key_2") AS "label_2",
      decode("k"."key_3") AS "label_3",
      decode("k"."key_4") AS "label_4",
      decode("k"."key_5") AS "label_5",
      class_rows,
      class_size
    FROM (
      SELECT
        encode(CAST("t"."se""x" AS VARCHAR)) AS "key_1",
        encode(CAST("t"."zip; --" AS VARCHAR)) AS "key_2",
        encode(CAST("t"."age
of 👩_low" AS VARCHAR)) AS "key_3",
        encode(CAST("t"."age
of 👩_high" AS VARCHAR)) AS "key_4",
        encode(CAST("t"."SELECT" AS VARCHAR)) AS "key_5",
        CAST(SUM("t"."rows""") AS BIGINT) AS class_rows,
        CAST(SUM("t"."rows""") AS BIGINT) AS class_size
      FROM "staged 'classes" AS t
      GROUP BY encode(CAST("t"."se""x" AS VARCHAR)), encode(CAST("t"."zip; --" AS VARCHAR)), encode(CAST("t"."age
of 👩_low" AS VARCHAR)), encode(CAST("t"."age
of 👩_high" AS VARCHAR)), encode(CAST("t"."SELECT" AS VARCHAR))
    ) AS k
    WHERE class_size >= 2
  ) AS c
) AS r
ORDER BY (CAST(md5_number("r"."row_text") & 18446744073709551615 AS UBIGINT) >> 4)
LIMIT 5

-- postgres
SELECT
  "label_1",
  "label_2",
  "label_3",
  "label_4",
  "label_5",
  class_rows,
  class_size
FROM (
  SELECT
    c.*,
    CONCAT(
      COALESCE(LENGTH("c"."label_1") || ':' || "c"."label_1", 'NULL'),
      ',',
      COALESCE(LENGTH("c"."label_2") || ':' || "c"."label_2", 'NULL'),
      ',',
      COALESCE(LENGTH("c"."label_3") || ':' || "c"."label_3", 'NULL'),
      ',',
      COALESCE(LENGTH("c"."label_4") || ':' || "c"."label_4", 'NULL'),
      ',',
      COALESCE(LENGTH("c"."label_5") || ':' || "c"."label_5", 'NULL'),
      ','
    ) AS row_text
  FROM (
    SELECT
      ("k"."key_1" COLLATE "default") AS "label_1",
      ("k"."key_2" COLLATE "default") AS "label_2",
      ("k"."key_3" COLLATE "default") AS "label_3",
      ("k"."key_4" COLLATE "default") AS "label_4",
      ("k"."key_5" COLLATE "default") AS "label_5",
      class_rows,
      class_size
    FROM (
      SELECT
        (CAST("t"."se""x" AS TEXT) COLLATE "C") AS "key_1",
        (CAST("t"."zip; --" AS TEXT) COLLATE "C") AS "key_2",
        (CAST("t"."age
of 👩_low" AS TEXT) COLLATE "C") AS "key_3",
        (CAST("t"."age
of 👩_high" AS TEXT) COLLATE "C") AS "key_4",
        (CAST("t"."SELECT" AS TEXT) COLLATE "C") AS "key_5",
        CAST(SUM("t"."rows""") AS BIGINT) AS class_rows,
        CAST(SUM("t"."rows""") AS BIGINT) AS class_size
      FROM "staged 'classes" AS t
      GROUP BY (CAST("t"."se""x" AS TEXT) COLLATE "C"), (CAST("t"."zip; --" AS TEXT) COLLATE "C"), (CAST("t"."age
of 👩_low" AS TEXT) COLLATE "C"), (CAST("t"."age
of 👩_high" AS TEXT) COLLATE "C"), (CAST("t"."SELECT" AS TEXT) COLLATE "C")
    ) AS k
    WHERE class_size >= 2
  ) AS c
) AS r
ORDER BY CAST(CAST(CONCAT('x', CONCAT(SUBSTR(MD5("r"."row_text"), 15, 2), SUBSTR(MD5("r"."row_text"), 13, 2), SUBSTR(MD5("r"."row_text"), 11, 2), SUBSTR(MD5("r"."row_text"), 9, 2), SUBSTR(MD5("r"."row_text"), 7, 2), SUBSTR(MD5("r"."row_text"), 5, 2), SUBSTR(MD5("r"."row_text"), 3, 2), SUBSTR(MD5("r"."row_text"), 1, 1))) AS BIT(60)) AS BIGINT)
LIMIT 5

-- spark
SELECT
  `label_1`,
  `label_2`,
  `label_3`,
  `label_4`,
  `label_5`,
  class_rows,
  class_size
FROM (
  SELECT
    c.*,
    CONCAT(
      COALESCE(LENGTH(`c`.`label_1`) || ':' || `c`.`label_1`, 'NULL'),
      ',',
      COALESCE(LENGTH(`c`.`label_2`) || ':' || `c`.`label_2`, 'NULL'),
      ',',
      COALESCE(LENGTH(`c`.`label_3`) || ':' || `c`.`label_3`, 'NULL'),
      ',',
      COALESCE(LENGTH(`c`.`label_4`) || ':' || `c`.`label_4`, 'NULL'),
      ',',
      COALESCE(LENGTH(`c`.`label_5`) || ':' || `c`.`label_5`, 'NULL'),
      ','
    ) AS row_text
  FROM (
    SELECT
      (CAST(`k`.`key_1` AS STRING) COLLATE UTF8_BINARY) AS `label_1`,
      (CAST(`k`.`key_2` AS STRING) COLLATE UTF8_BINARY) AS `label_2`,
      (CAST(`k`.`key_3` AS STRING) COLLATE UTF8_BINARY) AS `label_3`,
      (CAST(`k`.`key_4` AS STRING) COLLATE UTF8_BINARY) AS `label_4`,
      (CAST(`k`.`key_5` AS STRING) COLLATE UTF8_BINARY) AS `label_5`,
      class_rows,
      class_size
    FROM (
      SELECT
        CAST(CAST(`t`.`se"x` AS STRING) AS BINARY) AS `key_1`,
        CAST(CAST(`t`.`zip; --` AS STRING) AS BINARY) AS `key_2`,
        CAST(CAST(`t`.`age
of 👩_low` AS STRING) AS BINARY) AS `key_3`,
        CAST(CAST(`t`.`age
of 👩_high` AS STRING) AS BINARY) AS `key_4`,
        CAST(CAST(`t`.`SELECT` AS STRING) AS BINARY) AS `key_5`,
        CAST(SUM(`t`.`rows"`) AS BIGINT) AS class_rows,
        CAST(SUM(`t`.`rows"`) AS BIGINT) AS class_size
      FROM `staged 'classes` AS t
      GROUP BY CAST(CAST(`t`.`se"x` AS STRING) AS BINARY), CAST(CAST(`t`.`zip; --` AS STRING) AS BINARY), CAST(CAST(`t`.`age
of 👩_low` AS STRING) AS BINARY), CAST(CAST(`t`.`age
of 👩_high` AS STRING) AS BINARY), CAST(CAST(`t`.`SELECT` AS STRING) AS BINARY)
    ) AS k
    WHERE class_size >= 2
  ) AS c
) AS r
ORDER BY CAST(CONV(CONCAT(SUBSTR(MD5(`r`.`row_text`), 15, 2), SUBSTR(MD5(`r`.`row_text`), 13, 2), SUBSTR(MD5(`r`.`row_text`), 11, 2), SUBSTR(MD5(`r`.`row_text`), 9, 2), SUBSTR(MD5(`r`.`row_text`), 7, 2), SUBSTR(MD5(`r`.`row_text`), 5, 2), SUBSTR(MD5(`r`.`row_text`), 3, 2), SUBSTR(MD5(`r`.`row_text`), 1, 1)), 16, 10) AS DECIMAL(20, 0))
LIMIT 5
