-- duckdb
SELECT
  NULLIF(
    "m"."se""x",
    CASE
      WHEN CAST(CAST("m"."se""x" AS VARCHAR) || '.' AS BLOB) = CAST('it''s.' AS BLOB) OR CAST(CAST("m"."se""x" AS VARCHAR) || '.' AS BLOB) = CAST('NA.' AS BLOB) OR TRIM(CAST("m"."se""x" AS VARCHAR)) || '.' = '.'
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
      WHEN CAST(CAST("m"."SELECT" AS VARCHAR) || '.' AS BLOB) = CAST('NA.' AS BLOB)
      THEN "m"."SELECT"
    END
  ) AS character varying(12)) AS "SELECT"
FROM "the source; DROP TABLE x" AS m

-- postgres
SELECT
  NULLIF(
    "m"."se""x",
    CASE
      WHEN CAST(CAST("m"."se""x" AS TEXT) || '.' AS BLOB) = CAST('it''s.' AS BLOB) OR CAST(CAST("m"."se""x" AS TEXT) || '.' AS BLOB) = CAST('NA.' AS BLOB) OR TRIM(CAST("m"."se""x" AS TEXT)) || '.' = '.'
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
      WHEN CAST(CAST("m"."SELECT" AS TEXT) || '.' AS BLOB) = CAST('NA.' AS BLOB)
      THEN "m"."SELECT"
    END
  ) AS character varying(12)) AS "SELECT"
FROM "the source; DROP TABLE x" AS m

-- spark
SELECT
  NULLIF(
    `m`.`se"x`,
    CASE
      WHEN CAST(CAST(`m`.`se"x` AS STRING) || '.' AS BLOB) = CAST('it\'s.' AS BLOB) OR CAST(CAST(`m`.`se"x` AS STRING) || '.' AS BLOB) = CAST('NA.' AS BLOB) OR TRIM(CAST(`m`.`se"x` AS STRING)) || '.' = '.'
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
      WHEN CAST(CAST(`m`.`SELECT` AS STRING) || '.' AS BLOB) = CAST('NA.' AS BLOB)
      THEN `m`.`SELECT`
    END
  ) AS character varying(12)) AS `SELECT`
FROM `the source; DROP TABLE x` AS m
