-- population_histogram
SELECT
  class_size,
  COUNT(*) AS classes,
  SUM(class_rows) AS row_count,
  SUM(missed_rows) AS missed_rows
FROM (
  SELECT
    class_rows,
    CASE WHEN in_population < in_table THEN in_table ELSE in_population END AS class_size,
    CASE WHEN in_population < in_table THEN class_rows ELSE 0 END AS missed_rows
  FROM (
    SELECT
      SUM(class_rows) AS class_rows,
      SUM(in_table) AS in_table,
      SUM(in_population) AS in_population
    FROM (
      SELECT
        "key_1",
        class_rows,
        class_size AS in_table,
        0 AS in_population
      FROM (
SELECT
  "key_1",
  COUNT(*) AS class_rows,
  COUNT(*) AS class_size
FROM (
  SELECT
    encode(CAST("t"."se""x" AS VARCHAR)) AS "key_1"
  FROM "the source; DROP TABLE x" AS t
) AS p
GROUP BY "key_1"
      ) AS "counted_1"
      UNION ALL
      SELECT
        "key_1",
        0 AS class_rows,
        0 AS in_table,
        class_size AS in_population
      FROM (
SELECT
  "key_1",
  COUNT(*) AS class_rows,
  COUNT(*) AS class_size
FROM (
  SELECT
    encode(CAST("t"."se""x" AS VARCHAR)) AS "key_1"
  FROM "the source; DROP TABLE x" AS t
) AS p
GROUP BY "key_1"
      ) AS "counted_2"
    ) AS both_tables
    GROUP BY "key_1"
  ) AS compared
  WHERE class_rows > 0
) AS sized
GROUP BY class_size
ORDER BY class_size
