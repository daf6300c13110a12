-- text_forms
SELECT
  CASE
    WHEN e."least_1" LIKE '%.%' AND e."greatest_1" LIKE '%.%'
      AND LENGTH(e."least_1") - POSITION('.' IN e."least_1")
      = LENGTH(e."greatest_1") - POSITION('.' IN e."greatest_1")
      THEN LENGTH(e."least_1") - POSITION('.' IN e."least_1")
    ELSE 0
  END AS "decimals_1",
  CASE
    WHEN CAST(TRY_CAST("e"."least_1" AS BIGINT) AS VARCHAR) = "e"."least_1"
      AND CAST(TRY_CAST("e"."greatest_1" AS BIGINT) AS VARCHAR) = "e"."greatest_1" THEN 1
    ELSE 0
  END AS "form_101",
  CASE
    WHEN regexp_full_match("e"."least_1", '-?(0|[1-9][0-9]*)[.](0|[0-9]*[1-9])') AND "e"."least_1" <> '-0.0' AND CAST(TRY_CAST("e"."least_1" AS DOUBLE) AS VARCHAR) = "e"."least_1"
      AND regexp_full_match("e"."greatest_1", '-?(0|[1-9][0-9]*)[.](0|[0-9]*[1-9])') AND "e"."greatest_1" <> '-0.0' AND CAST(TRY_CAST("e"."greatest_1" AS DOUBLE) AS VARCHAR) = "e"."greatest_1" THEN 1
    ELSE 0
  END AS "form_102",
  CASE
    WHEN regexp_full_match("e"."least_1", '-?(0|[1-9][0-9]*)([.][0-9]*[1-9])?') AND "e"."least_1" NOT IN ('', '-0') AND (LENGTH(REPLACE(REPLACE("e"."least_1", '-', ''), '.', '')) <= 15 OR CAST(TRY_CAST("e"."least_1" AS DOUBLE) AS VARCHAR) IN ("e"."least_1", "e"."least_1" || '.0'))
      AND regexp_full_match("e"."greatest_1", '-?(0|[1-9][0-9]*)([.][0-9]*[1-9])?') AND "e"."greatest_1" NOT IN ('', '-0') AND (LENGTH(REPLACE(REPLACE("e"."greatest_1", '-', ''), '.', '')) <= 15 OR CAST(TRY_CAST("e"."greatest_1" AS DOUBLE) AS VARCHAR) IN ("e"."greatest_1", "e"."greatest_1" || '.0')) THEN 1
    ELSE 0
  END AS "form_103",
  CASE
    WHEN "e"."least_1" LIKE '____-__-__' AND CAST(TRY_CAST("e"."least_1" AS DATE) AS VARCHAR) = "e"."least_1"
      AND "e"."greatest_1" LIKE '____-__-__' AND CAST(TRY_CAST("e"."greatest_1" AS DATE) AS VARCHAR) = "e"."greatest_1" THEN 1
    ELSE 0
  END AS "form_104",
  CASE
    WHEN "e"."least_1" LIKE '____-__-__ __:__:__%' AND CAST(TRY_CAST("e"."least_1" AS TIMESTAMP) AS VARCHAR) = "e"."least_1"
      AND "e"."greatest_1" LIKE '____-__-__ __:__:__%' AND CAST(TRY_CAST("e"."greatest_1" AS TIMESTAMP) AS VARCHAR) = "e"."greatest_1" THEN 1
    ELSE 0
  END AS "form_105",
  CASE
    WHEN "e"."least_1" LIKE '____-__-__T__:__:__%' AND CAST(TRY_CAST("e"."least_1" AS TIMESTAMP) AS VARCHAR) = REPLACE("e"."least_1", 'T', ' ')
      AND "e"."greatest_1" LIKE '____-__-__T__:__:__%' AND CAST(TRY_CAST("e"."greatest_1" AS TIMESTAMP) AS VARCHAR) = REPLACE("e"."greatest_1", 'T', ' ') THEN 1
    ELSE 0
  END AS "form_106",
  CASE
    WHEN "e"."least_1" IN ('true', 'false')
      AND "e"."greatest_1" IN ('true', 'false') THEN 1
    ELSE 0
  END AS "form_107",
  CASE
    WHEN "e"."least_1" IN ('True', 'False')
      AND "e"."greatest_1" IN ('True', 'False') THEN 1
    ELSE 0
  END AS "form_108",
  CASE
    WHEN "e"."least_1" IN ('TRUE', 'FALSE')
      AND "e"."greatest_1" IN ('TRUE', 'FALSE') THEN 1
    ELSE 0
  END AS "form_109",
  CASE
    WHEN e."least_2" LIKE '%.%' AND e."greatest_2" LIKE '%.%'
      AND LENGTH(e."least_2") - POSITION('.' IN e."least_2")
      = LENGTH(e."greatest_2") - POSITION('.' IN e."greatest_2")
      THEN LENGTH(e."least_2") - POSITION('.' IN e."least_2")
    ELSE 0
  END AS "decimals_2",
  CASE
    WHEN CAST(TRY_CAST("e"."least_2" AS BIGINT) AS VARCHAR) = "e"."least_2"
      AND CAST(TRY_CAST("e"."greatest_2" AS BIGINT) AS VARCHAR) = "e"."greatest_2" THEN 1
    ELSE 0
  END AS "form_201",
  CASE
    WHEN regexp_full_match("e"."least_2", '-?(0|[1-9][0-9]*)[.](0|[0-9]*[1-9])') AND "e"."least_2" <> '-0.0' AND CAST(TRY_CAST("e"."least_2" AS DOUBLE) AS VARCHAR) = "e"."least_2"
      AND regexp_full_match("e"."greatest_2", '-?(0|[1-9][0-9]*)[.](0|[0-9]*[1-9])') AND "e"."greatest_2" <> '-0.0' AND CAST(TRY_CAST("e"."greatest_2" AS DOUBLE) AS VARCHAR) = "e"."greatest_2" THEN 1
    ELSE 0
  END AS "form_202",
  CASE
    WHEN regexp_full_match("e"."least_2", '-?(0|[1-9][0-9]*)([.][0-9]*[1-9])?') AND "e"."least_2" NOT IN ('', '-0') AND (LENGTH(REPLACE(REPLACE("e"."least_2", '-', ''), '.', '')) <= 15 OR CAST(TRY_CAST("e"."least_2" AS DOUBLE) AS VARCHAR) IN ("e"."least_2", "e"."least_2" || '.0'))
      AND regexp_full_match("e"."greatest_2", '-?(0|[1-9][0-9]*)([.][0-9]*[1-9])?') AND "e"."greatest_2" NOT IN ('', '-0') AND (LENGTH(REPLACE(REPLACE("e"."greatest_2", '-', ''), '.', '')) <= 15 OR CAST(TRY_CAST("e"."greatest_2" AS DOUBLE) AS VARCHAR) IN ("e"."greatest_2", "e"."greatest_2" || '.0')) THEN 1
    ELSE 0
  END AS "form_203",
  CASE
    WHEN "e"."least_2" LIKE '____-__-__' AND CAST(TRY_CAST("e"."least_2" AS DATE) AS VARCHAR) = "e"."least_2"
      AND "e"."greatest_2" LIKE '____-__-__' AND CAST(TRY_CAST("e"."greatest_2" AS DATE) AS VARCHAR) = "e"."greatest_2" THEN 1
    ELSE 0
  END AS "form_204",
  CASE
    WHEN "e"."least_2" LIKE '____-__-__ __:__:__%' AND CAST(TRY_CAST("e"."least_2" AS TIMESTAMP) AS VARCHAR) = "e"."least_2"
      AND "e"."greatest_2" LIKE '____-__-__ __:__:__%' AND CAST(TRY_CAST("e"."greatest_2" AS TIMESTAMP) AS VARCHAR) = "e"."greatest_2" THEN 1
    ELSE 0
  END AS "form_205",
  CASE
    WHEN "e"."least_2" LIKE '____-__-__T__:__:__%' AND CAST(TRY_CAST("e"."least_2" AS TIMESTAMP) AS VARCHAR) = REPLACE("e"."least_2", 'T', ' ')
      AND "e"."greatest_2" LIKE '____-__-__T__:__:__%' AND CAST(TRY_CAST("e"."greatest_2" AS TIMESTAMP) AS VARCHAR) = REPLACE("e"."greatest_2", 'T', ' ') THEN 1
    ELSE 0
  END AS "form_206",
  CASE
    WHEN "e"."least_2" IN ('true', 'false')
      AND "e"."greatest_2" IN ('true', 'false') THEN 1
    ELSE 0
  END AS "form_207",
  CASE
    WHEN "e"."least_2" IN ('True', 'False')
      AND "e"."greatest_2" IN ('True', 'False') THEN 1
    ELSE 0
  END AS "form_208",
  CASE
    WHEN "e"."least_2" IN ('TRUE', 'FALSE')
      AND "e"."greatest_2" IN ('TRUE', 'FALSE') THEN 1
    ELSE 0
  END AS "form_209"
FROM (
  SELECT
    MIN("s"."se""x") AS "least_1",
    MAX("s"."se""x") AS "greatest_1",
    MIN("s"."zip; --") AS "least_2",
    MAX("s"."zip; --") AS "greatest_2"
  FROM "the source; DROP TABLE x" AS s
) AS e
