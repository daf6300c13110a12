-- cleaned_rows
SELECT
  "na'me",
  UPPER(TRIM("se""x")) AS "se""x",
  CASE
    WHEN TRANSLATE(TRIM("ward 🏥"), '0123456789', '') = ''
    AND LENGTH(TRIM("ward 🏥")) BETWEEN 4 AND 5
    THEN LPAD(TRIM("ward 🏥"), 5, '0')
  END AS "ward 🏥",
  CASE
    WHEN ABS(CAST("age
of 👩" AS DOUBLE)) < 1000000000000000
    THEN CAST(ROUND(CAST("age
of 👩" AS DOUBLE) / 10) * 10 AS BIGINT)
  END AS "age
of 👩"
FROM "the source; DROP TABLE x"
