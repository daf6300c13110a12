-- duckdb
SELECT
  NULLIF(
    "m"."se""x",
    CASE
      WHEN CAST("m"."se""x" AS VARCHAR) || '.' = 'it''s.' OR CAST("m"."se""x" AS VARCHAR) || '.' = 'NA.' OR TRIM(CAST("m"."se""x" AS VARCHAR)) || '.' = '.'
      THEN "m"."se""x"
    END
  ) AS "se""x",
  NULLIF(
    "m"."age
of 👩",
    CASE
      WHEN "m"."age
of 👩" = 999
      THEN "m"."age
of 👩"
    END
  ) AS "age
of 👩",
  "m"."zip; --" AS "zip; --",
  CAST(NULLIF(
    "m"."SELECT",
    CASE
      WHEN CAST("m"."SELECT" AS VARCHAR) || '.' = 'NA.'
      THEN "m"."SELECT"
    END
  ) AS character varying(12)) AS "SELECT"
FROM "the source; DROP TABLE x" AS m

-- postgres
SELECT
  NULLIF(
    "m"."se""x",
    CASE
      WHEN CAST("m"."se""x" AS TEXT) || '.' = 'it''s.' OR CAST("m"."se""x" AS TEXT) || '.' = 'NA.' OR TRIM(CAST("m"."se""x" AS TEXT)) || '.' = '.'
      THEN "m"."se""x"
    END
  ) AS "se""x",
  NULLIF(
    "m"."age
of 👩",
    CASE
      WHEN "m"."age
of 👩" = 999
      THEN "m"."age
of 👩"
    END
  ) AS "age
of 👩",
  "m"."zip; --" AS "zip; --",
  CAST(NULLIF(
    "m"."SELECT",
    CASE
      WHEN CAST("m"."SELECT" AS TEXT) || '.' = 'NA.'
      THEN "m"."SELECT"
    END
  ) AS character varying(12)) AS "SELECT"
FROM "the source; DROP TABLE x" AS m

-- spark
SELECT
  NULLIF(
    `m`.`se"x`,
    CASE
      WHEN CAST(`m`.`se"x` AS STRING) || '.' = 'it\'s.' OR CAST(`m`.`se"x` AS STRING) || '.' = 'NA.' OR TRIM(CAST(`m`.`se"x` AS STRING)) || '.' = '.'
      THEN `m`.`se"x`
    END
  ) AS `se"x`,
  NULLIF(
    `m`.`age
of 👩`,
    CASE
      WHEN `m`.`age
of 👩` = 999
      THEN `m`.`age
of 👩`
    END
  ) AS `age
of 👩`,
  `m`.`zip; --` AS `zip; --`,
  CAST(NULLIF(
    `m`.`SELECT`,
    CASE
      WHEN CAST(`m`.`SELECT` AS STRING) || '.' = 'NA.'
      THEN `m`.`SELECT`
    END
  ) AS character varying(12)) AS `SELECT`
FROM `the source; DROP TABLE x` AS m
