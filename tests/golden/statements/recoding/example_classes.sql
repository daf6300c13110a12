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
      decode(encode(CAST("t"."se""x" AS VARCHAR))) AS "label_1",
      decode(encode(CAST("t"."zip; --" AS VARCHAR))) AS "label_2",
      decode(encode(CAST("t"."age
of 👩_low" AS VARCHAR))) AS "label_3",
      decode(encode(CAST("t"."age
of 👩_high" AS VARCHAR))) AS "label_4",
      decode(encode(CAST("t"."SELECT" AS VARCHAR))) AS "label_5",
      COUNT(*) AS class_rows,
      COUNT(*) AS class_size
    FROM "staged'" AS t
    GROUP BY decode(encode(CAST("t"."se""x" AS VARCHAR))), decode(encode(CAST("t"."zip; --" AS VARCHAR))), decode(encode(CAST("t"."age
of 👩_low" AS VARCHAR))), decode(encode(CAST("t"."age
of 👩_high" AS VARCHAR))), decode(encode(CAST("t"."SELECT" AS VARCHAR)))
  ) AS c
  WHERE c.class_size >= 2
) AS r
ORDER BY (md5_number_upper("r"."row_text") >> 4)
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
      (CAST("t"."se""x" AS TEXT) COLLATE "default") AS "label_1",
      (CAST("t"."zip; --" AS TEXT) COLLATE "default") AS "label_2",
      (CAST("t"."age
of 👩_low" AS TEXT) COLLATE "default") AS "label_3",
      (CAST("t"."age
of 👩_high" AS TEXT) COLLATE "default") AS "label_4",
      (CAST("t"."SELECT" AS TEXT) COLLATE "default") AS "label_5",
      COUNT(*) AS class_rows,
      COUNT(*) AS class_size
    FROM "staged'" AS t
    GROUP BY (CAST("t"."se""x" AS TEXT) COLLATE "default"), (CAST("t"."zip; --" AS TEXT) COLLATE "default"), (CAST("t"."age
of 👩_low" AS TEXT) COLLATE "default"), (CAST("t"."age
of 👩_high" AS TEXT) COLLATE "default"), (CAST("t"."SELECT" AS TEXT) COLLATE "default")
  ) AS c
  WHERE c.class_size >= 2
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
      (CAST(`t`.`se"x` AS STRING) COLLATE UTF8_BINARY) AS `label_1`,
      (CAST(`t`.`zip; --` AS STRING) COLLATE UTF8_BINARY) AS `label_2`,
      (CAST(`t`.`age
of 👩_low` AS STRING) COLLATE UTF8_BINARY) AS `label_3`,
      (CAST(`t`.`age
of 👩_high` AS STRING) COLLATE UTF8_BINARY) AS `label_4`,
      (CAST(`t`.`SELECT` AS STRING) COLLATE UTF8_BINARY) AS `label_5`,
      COUNT(*) AS class_rows,
      COUNT(*) AS class_size
    FROM `staged'` AS t
    GROUP BY (CAST(`t`.`se"x` AS STRING) COLLATE UTF8_BINARY), (CAST(`t`.`zip; --` AS STRING) COLLATE UTF8_BINARY), (CAST(`t`.`age
of 👩_low` AS STRING) COLLATE UTF8_BINARY), (CAST(`t`.`age
of 👩_high` AS STRING) COLLATE UTF8_BINARY), (CAST(`t`.`SELECT` AS STRING) COLLATE UTF8_BINARY)
  ) AS c
  WHERE c.class_size >= 2
) AS r
ORDER BY CAST(CONV(CONCAT(SUBSTR(MD5(`r`.`row_text`), 15, 2), SUBSTR(MD5(`r`.`row_text`), 13, 2), SUBSTR(MD5(`r`.`row_text`), 11, 2), SUBSTR(MD5(`r`.`row_text`), 9, 2), SUBSTR(MD5(`r`.`row_text`), 7, 2), SUBSTR(MD5(`r`.`row_text`), 5, 2), SUBSTR(MD5(`r`.`row_text`), 3, 2), SUBSTR(MD5(`r`.`row_text`), 1, 1)), 16, 10) AS DECIMAL(20, 0))
LIMIT 5
