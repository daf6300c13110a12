-- count_unparsed
SELECT
  COUNT(CASE WHEN "r"."se""x" IS NOT NULL AND NOT (CASE WHEN regexp_full_match(CAST("r"."part_0_parsed" AS VARCHAR), '[0-9]{4,6}-[0-9]{2}-[0-9]{2}( [(]BC[)])?([ T]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?(Z| ?[+-][0-9]{2}(:?[0-9]{2})?)?)?( BC)?') THEN TRY_CAST(SPLIT_PART(SPLIT_PART(CAST("r"."part_0_parsed" AS VARCHAR), ' ', 1), 'T', 1) || CASE WHEN CAST("r"."part_0_parsed" AS VARCHAR) LIKE '%BC%' THEN ' (BC)' ELSE '' END AS DATE) END IS NOT NULL) THEN 1 END) AS "unparsed_1",
  COUNT(CASE WHEN "r"."age
of 👩" IS NOT NULL AND NOT ("r"."part_1_parsed" IS NOT NULL) THEN 1 END) AS "unparsed_2"
FROM (
SELECT
  COALESCE(
    CASE WHEN struct_extract("g"."part_0_0", 'group_3') <> '' THEN CASE WHEN struct_extract("g"."part_0_0", 'group_3') <= '25' THEN '20' ELSE '19' END || struct_extract("g"."part_0_0", 'group_3')
      || '-' || RIGHT('0' || struct_extract("g"."part_0_0", 'group_2'), 2)
      || '-' || RIGHT('0' || struct_extract("g"."part_0_0", 'group_1'), 2) END,
    CASE WHEN struct_extract("g"."part_0_1", 'group_1') <> '' THEN CAST(DATE '1970-01-01' + CAST(FLOOR(TRY_CAST(struct_extract("g"."part_0_1", 'group_1') AS DOUBLE) / 1) - 25569 AS INTEGER) AS VARCHAR) END,
    NULL
  ) AS "part_0_parsed",
  "g"."se""x" AS "se""x",
  COALESCE(
    CASE WHEN struct_extract("g"."part_1_0", 'group_3') <> '' THEN CASE WHEN struct_extract("g"."part_1_0", 'group_1') = '' AND struct_extract("g"."part_1_0", 'group_4') = '' THEN REPLACE(struct_extract("g"."part_1_0", 'group_2'), '+', '') WHEN struct_extract("g"."part_1_0", 'group_1') = '(' AND struct_extract("g"."part_1_0", 'group_4') = ')' AND struct_extract("g"."part_1_0", 'group_2') = '' THEN '-' END || CASE WHEN LOWER(REPLACE(TRANSLATE(struct_extract("g"."part_1_0", 'group_3'), '''', ''), ',', '.')) LIKE '%e%' THEN TRIM(TRAILING '.' FROM TRIM(TRAILING '0' FROM CAST(TRY_CAST(TRY_CAST(REPLACE(TRANSLATE(struct_extract("g"."part_1_0", 'group_3'), '''', ''), ',', '.') AS DOUBLE) AS DECIMAL(38, 10)) AS VARCHAR))) ELSE REPLACE(TRANSLATE(struct_extract("g"."part_1_0", 'group_3'), '''', ''), ',', '.') END END,
    NULL
  ) AS "part_1_parsed",
  "g"."age
of 👩" AS "age
of 👩"
FROM (
  SELECT
    regexp_extract(CAST("m"."se""x" AS VARCHAR), '^(?: *([0-9]{1,2})[.]([0-9]{1,2})[.]([0-9]{2}) *)$', ['group_1', 'group_2', 'group_3']) AS "part_0_0",
    regexp_extract(CAST("m"."se""x" AS VARCHAR), '^(?: *(-?[0-9]{1,6})(?:[.][0-9]*)? *)$', ['group_1']) AS "part_0_1",
    "m"."se""x" AS "se""x",
    regexp_extract(CAST("m"."age
of 👩" AS VARCHAR), '^(?:[   ]*([(]?)[   ]*([+-]?)[   ]*((?:[0-9]{1,3}(?:[''][0-9]{3})+|[0-9]+)(?:[,][0-9]*)?|[,][0-9]+|[0-9]{1,9}(?:[,][0-9]{0,15})?[eE][+-]?(?:0?[0-9]|1[0-5]))[   ]*([)]?)[   ]*)$', ['group_1', 'group_2', 'group_3', 'group_4']) AS "part_1_0",
    "m"."age
of 👩" AS "age
of 👩"
  FROM (
SELECT
  NULLIF(
    "m"."se""x",
    CASE
      WHEN TRIM(decode(encode(CAST("m"."se""x" AS VARCHAR)))) = 'NA'
      THEN "m"."se""x"
    END
  ) AS "se""x",
  "m"."age
of 👩" AS "age
of 👩"
FROM "the source; DROP TABLE x" AS m
  ) AS m
) AS g
) AS r
