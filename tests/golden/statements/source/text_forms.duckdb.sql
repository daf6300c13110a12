-- text_forms
SELECT
  t.number,
  CASE
    WHEN t.least LIKE '%.%' AND t.greatest LIKE '%.%'
      AND LENGTH(t.least) - POSITION('.' IN t.least) = LENGTH(t.greatest) - POSITION('.' IN t.greatest)
      THEN LENGTH(t.least) - POSITION('.' IN t.least)
    ELSE 0
  END AS decimals,
  CASE
    WHEN CAST(TRY_CAST("t"."least" AS BIGINT) AS VARCHAR) = "t"."least"
      AND CAST(TRY_CAST("t"."greatest" AS BIGINT) AS VARCHAR) = "t"."greatest" THEN 1
    ELSE 0
  END AS "form_1",
  CASE
    WHEN regexp_full_match("t"."least", '-?(0|[1-9][0-9]*)[.](0|[0-9]*[1-9])') AND "t"."least" <> '-0.0' AND CAST(TRY_CAST("t"."least" AS DOUBLE) AS VARCHAR) = "t"."least"
      AND regexp_full_match("t"."greatest", '-?(0|[1-9][0-9]*)[.](0|[0-9]*[1-9])') AND "t"."greatest" <> '-0.0' AND CAST(TRY_CAST("t"."greatest" AS DOUBLE) AS VARCHAR) = "t"."greatest" THEN 1
    ELSE 0
  END AS "form_2",
  CASE
    WHEN regexp_full_match("t"."least", '-?(0|[1-9][0-9]*)([.][0-9]*[1-9])?') AND "t"."least" NOT IN ('', '-0') AND (LENGTH(REPLACE(REPLACE("t"."least", '-', ''), '.', '')) <= 15 OR CAST(TRY_CAST("t"."least" AS DOUBLE) AS VARCHAR) IN ("t"."least", "t"."least" || '.0'))
      AND regexp_full_match("t"."greatest", '-?(0|[1-9][0-9]*)([.][0-9]*[1-9])?') AND "t"."greatest" NOT IN ('', '-0') AND (LENGTH(REPLACE(REPLACE("t"."greatest", '-', ''), '.', '')) <= 15 OR CAST(TRY_CAST("t"."greatest" AS DOUBLE) AS VARCHAR) IN ("t"."greatest", "t"."greatest" || '.0')) THEN 1
    ELSE 0
  END AS "form_3",
  CASE
    WHEN "t"."least" LIKE '____-__-__' AND CAST(TRY_CAST("t"."least" AS DATE) AS VARCHAR) = "t"."least"
      AND "t"."greatest" LIKE '____-__-__' AND CAST(TRY_CAST("t"."greatest" AS DATE) AS VARCHAR) = "t"."greatest" THEN 1
    ELSE 0
  END AS "form_4",
  CASE
    WHEN "t"."least" LIKE '____-__-__ __:__:__%' AND CAST(TRY_CAST("t"."least" AS TIMESTAMP) AS VARCHAR) = "t"."least"
      AND "t"."greatest" LIKE '____-__-__ __:__:__%' AND CAST(TRY_CAST("t"."greatest" AS TIMESTAMP) AS VARCHAR) = "t"."greatest" THEN 1
    ELSE 0
  END AS "form_5",
  CASE
    WHEN "t"."least" LIKE '____-__-__T__:__:__%' AND CAST(TRY_CAST("t"."least" AS TIMESTAMP) AS VARCHAR) = REPLACE("t"."least", 'T', ' ')
      AND "t"."greatest" LIKE '____-__-__T__:__:__%' AND CAST(TRY_CAST("t"."greatest" AS TIMESTAMP) AS VARCHAR) = REPLACE("t"."greatest", 'T', ' ') THEN 1
    ELSE 0
  END AS "form_6",
  CASE
    WHEN "t"."least" IN ('true', 'false')
      AND "t"."greatest" IN ('true', 'false') THEN 1
    ELSE 0
  END AS "form_7",
  CASE
    WHEN "t"."least" IN ('True', 'False')
      AND "t"."greatest" IN ('True', 'False') THEN 1
    ELSE 0
  END AS "form_8",
  CASE
    WHEN "t"."least" IN ('TRUE', 'FALSE')
      AND "t"."greatest" IN ('TRUE', 'FALSE') THEN 1
    ELSE 0
  END AS "form_9"
FROM (
  SELECT
    n.number,
    CASE n.number WHEN 1 THEN "e"."least_1" WHEN 2 THEN "e"."least_2" END AS least,
    CASE n.number WHEN 1 THEN "e"."greatest_1" WHEN 2 THEN "e"."greatest_2" END AS greatest
  FROM (
    SELECT
      MIN("s"."se""x") AS "least_1",
      MAX("s"."se""x") AS "greatest_1",
      MIN("s"."zip; --") AS "least_2",
      MAX("s"."zip; --") AS "greatest_2"
    FROM "the source; DROP TABLE x" AS s
  ) AS e
  CROSS JOIN (
    SELECT 1 AS number UNION ALL
    SELECT 2 AS number
  ) AS n
) AS t
ORDER BY t.number
