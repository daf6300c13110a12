-- count_codes
SELECT column_number, code, code_rows, all_rows
FROM (
  SELECT
    0 AS column_number,
    c.code,
    SUM(CASE WHEN v.held = c.code THEN v.row_count ELSE 0 END) AS code_rows,
    SUM(v.row_count) AS all_rows,
    COUNT(v.other) AS others,
    MIN(v.other) AS least,
    MAX(v.other) AS most
  FROM (
    SELECT
      CAST("s"."age
of 👩" AS DOUBLE) AS held,
      CASE WHEN CAST("s"."age
of 👩" AS DOUBLE) IN (-9999, -999, -99, -9, -1, 9, 99, 999, 9999) THEN NULL ELSE CAST("s"."age
of 👩" AS DOUBLE) END AS other,
      COUNT(*) AS row_count
    FROM "the source; DROP TABLE x" AS s
    WHERE "s"."age
of 👩" IS NOT NULL
    GROUP BY CAST("s"."age
of 👩" AS DOUBLE)
  ) AS v
  CROSS JOIN (
    SELECT CAST(-9999 AS DOUBLE) AS code UNION ALL
    SELECT CAST(-999 AS DOUBLE) AS code UNION ALL
    SELECT CAST(-99 AS DOUBLE) AS code UNION ALL
    SELECT CAST(-9 AS DOUBLE) AS code UNION ALL
    SELECT CAST(-1 AS DOUBLE) AS code UNION ALL
    SELECT CAST(9 AS DOUBLE) AS code UNION ALL
    SELECT CAST(99 AS DOUBLE) AS code UNION ALL
    SELECT CAST(999 AS DOUBLE) AS code UNION ALL
    SELECT CAST(9999 AS DOUBLE) AS code
  ) AS c
  GROUP BY c.code
) AS "q1"
WHERE code_rows * 100 >= all_rows
  AND CASE
    WHEN code < 0 THEN least >= 0 AND others >= 3
    ELSE code - most >= 2 AND (code - most) * 10 >= most - least AND others >= 2
  END
