-- listed_values
SELECT number, label
FROM (
  SELECT
    0 AS number,
    CAST(value AS VARCHAR) AS label,
    nth
  FROM (
    SELECT UNNEST(listed) AS value, GENERATE_SUBSCRIPTS(listed, 1) AS nth
    FROM (SELECT ENUM_RANGE(MAX("s"."gra'de")) AS listed FROM "gra;des" AS s) AS r
  ) AS v
) AS l
ORDER BY number, nth
