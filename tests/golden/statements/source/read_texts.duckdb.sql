-- read_texts
CREATE TEMP VIEW "re'ad" AS
SELECT
  NULLIF(
    "m"."se""x",
    CASE
      WHEN decode(encode(CAST("m"."se""x" AS VARCHAR))) = 'it''s' OR decode(encode(CAST("m"."se""x" AS VARCHAR))) = 'NA' OR TRIM(decode(encode(CAST("m"."se""x" AS VARCHAR)))) = ''
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
      WHEN decode(encode(CAST("m"."SELECT" AS VARCHAR))) = 'NA'
      THEN "m"."SELECT"
    END
  ) AS character varying(12)) AS "SELECT"
FROM "the source; DROP TABLE x" AS m
