-- count_stand_ins-part
SELECT
  v.number AS number,
  COUNT(*) AS repeated_values,
  COALESCE(SUM(v.own), 0) AS own_values,
  COUNT(DISTINCT CASE WHEN v.own = 1 AND v.differing = 1 THEN v.person END) AS people
FROM (
  SELECT
    e.number AS number,
    MIN(e.person) AS person,
    CASE WHEN MIN(e.person) = MAX(e.person) THEN 1 ELSE 0 END AS own,
    CASE WHEN MIN(e.one_column) = 1 OR MIN(e.quasi) <> MAX(e.quasi) THEN 1 ELSE 0 END AS differing
  FROM (
    SELECT
      n.number AS number,
      n.one_column AS one_column,
      h.person AS person,
      h.quasi AS quasi,
      CASE n.number
        WHEN 0 THEN h.person
        WHEN 1 THEN h."value_1"
        WHEN 2 THEN h."value_2"
        WHEN 3 THEN h."value_1"
      END AS first_value,
      CASE n.number
        WHEN 0 THEN 0
        WHEN 1 THEN 0
        WHEN 2 THEN 0
        WHEN 3 THEN h."value_2"
      END AS second_value
    FROM (
      SELECT
        (CAST(md5_number("s"."person_text") & 18446744073709551615 AS UBIGINT) >> 4) AS person,
        (CAST(md5_number("s"."text_1") & 18446744073709551615 AS UBIGINT) >> 4) AS "value_1",
        (CAST(md5_number("s"."text_2") & 18446744073709551615 AS UBIGINT) >> 4) AS "value_2",
        (CAST(md5_number("s"."quasi_text") & 18446744073709551615 AS UBIGINT) >> 4) AS quasi
      FROM (
        SELECT
          CAST("s"."who" AS VARCHAR) AS person_text,
          CAST("s"."na'me" AS VARCHAR) AS "text_1",
          CAST("s"."se""x" AS VARCHAR) AS "text_2",
          CONCAT(
            COALESCE(LENGTH(CAST("s"."vis.it" AS VARCHAR)) || ':' || CAST("s"."vis.it" AS VARCHAR), 'NULL'),
            ','
          ) AS quasi_text
        FROM "the source; DROP TABLE x" AS s
        WHERE MOD((CAST(md5_number(CAST("s"."who" AS VARCHAR)) & 18446744073709551615 AS UBIGINT) >> 4), 3) = 0
      ) AS s
    ) AS h
    CROSS JOIN (
      SELECT 0 AS number, 1 AS one_column UNION ALL
      SELECT 1 AS number, 1 AS one_column UNION ALL
      SELECT 2 AS number, 1 AS one_column UNION ALL
      SELECT 3 AS number, 0 AS one_column
    ) AS n
  ) AS e
  GROUP BY e.number, e.first_value, e.second_value
  HAVING COUNT(*) > 1
) AS v
GROUP BY v.number
ORDER BY v.number
