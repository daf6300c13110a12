-- signature_histogram
SELECT
  class_size,
  COUNT(*) AS classes,
  SUM(class_rows) AS row_count
FROM (
  SELECT
    COUNT(*) AS class_size,
    SUM(person_rows) AS class_rows
  FROM (
    SELECT
      COUNT(*) AS person_rows,
      SUM((CAST(md5_number("row_text") & 18446744073709551615 AS UBIGINT) >> 4)) AS rows_hash
    FROM (
      SELECT
        "s"."who" AS person,
        CONCAT(
          COALESCE(LENGTH(CAST("s"."se""x" AS VARCHAR)) || ':' || CAST("s"."se""x" AS VARCHAR), 'NULL'),
          ',',
          COALESCE(LENGTH(CAST("s"."zip; --" AS VARCHAR)) || ':' || CAST("s"."zip; --" AS VARCHAR), 'NULL'),
          ','
        ) AS row_text
      FROM "the source; DROP TABLE x" AS s
    ) AS r
    GROUP BY person
  ) AS h
  GROUP BY person_rows, rows_hash
) AS e
GROUP BY class_size
ORDER BY class_size
