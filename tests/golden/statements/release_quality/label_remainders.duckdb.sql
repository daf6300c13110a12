-- label_remainders
SELECT
  0 AS quasi,
  COALESCE(SUM(CASE WHEN rest > 0 THEN rest * CAST(ROUND(LN("positive"), 9) AS DECIMAL(12, 9)) ELSE 0 END), 0) AS logarithms,
  COALESCE(SUM(CASE WHEN rest < 0 THEN -rest ELSE 0 END), 0) AS excess
FROM (
  SELECT
    rest,
    CASE WHEN rest > 0 THEN rest ELSE 1 END AS positive
  FROM (
    SELECT CAST(l.row_count - COALESCE(c.row_count, 0) AS BIGINT) AS rest
    FROM "measu'red labels se""x" AS l
    LEFT JOIN (
      SELECT
        "key_0" AS label,
        SUM(row_count) AS row_count
      FROM "measu'red classes"
      GROUP BY "key_0"
    ) AS c ON c.label = l.label
  ) AS d
) AS r
UNION ALL
SELECT
  1 AS quasi,
  COALESCE(SUM(CASE WHEN rest > 0 THEN rest * CAST(ROUND(LN("positive"), 9) AS DECIMAL(12, 9)) ELSE 0 END), 0) AS logarithms,
  COALESCE(SUM(CASE WHEN rest < 0 THEN -rest ELSE 0 END), 0) AS excess
FROM (
  SELECT
    rest,
    CASE WHEN rest > 0 THEN rest ELSE 1 END AS positive
  FROM (
    SELECT CAST(l.row_count - COALESCE(c.row_count, 0) AS BIGINT) AS rest
    FROM "measu'red labels zip; --" AS l
    LEFT JOIN (
      SELECT
        "key_1" AS label,
        SUM(row_count) AS row_count
      FROM "measu'red classes"
      GROUP BY "key_1"
    ) AS c ON c.label = l.label
  ) AS d
) AS r
UNION ALL
SELECT
  2 AS quasi,
  COALESCE(SUM(CASE WHEN rest > 0 THEN rest * CAST(ROUND(LN("positive"), 9) AS DECIMAL(12, 9)) ELSE 0 END), 0) AS logarithms,
  COALESCE(SUM(CASE WHEN rest < 0 THEN -rest ELSE 0 END), 0) AS excess
FROM (
  SELECT
    rest,
    CASE WHEN rest > 0 THEN rest ELSE 1 END AS positive
  FROM (
    SELECT CAST(l.row_count - COALESCE(c.row_count, 0) AS BIGINT) AS rest
    FROM "measu'red labels age
of 👩" AS l
    LEFT JOIN (
      SELECT
        "key_2" AS label,
        SUM(row_count) AS row_count
      FROM "measu'red classes"
      GROUP BY "key_2"
    ) AS c ON c.label = l.label
  ) AS d
) AS r
UNION ALL
SELECT
  3 AS quasi,
  COALESCE(SUM(CASE WHEN rest > 0 THEN rest * CAST(ROUND(LN("positive"), 9) AS DECIMAL(12, 9)) ELSE 0 END), 0) AS logarithms,
  COALESCE(SUM(CASE WHEN rest < 0 THEN -rest ELSE 0 END), 0) AS excess
FROM (
  SELECT
    rest,
    CASE WHEN rest > 0 THEN rest ELSE 1 END AS positive
  FROM (
    SELECT CAST(l.row_count - COALESCE(c.row_count, 0) AS BIGINT) AS rest
    FROM "measu'red labels SELECT" AS l
    LEFT JOIN (
      SELECT
        "key_3" AS label,
        SUM(row_count) AS row_count
      FROM "measu'red classes"
      GROUP BY "key_3"
    ) AS c ON c.label = l.label
  ) AS d
) AS r
ORDER BY quasi
