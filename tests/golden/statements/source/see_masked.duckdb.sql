-- see_masked
CREATE TEMP VIEW "se'en masked" AS
SELECT
  "s"."na'me" AS "na'me",
  CASE WHEN struct_extract("s"."mask_1_parts", 'group_2') <> '' AND "s"."mask_1_permuted" IS NOT NULL THEN CONCAT(struct_extract("s"."mask_1_parts", 'group_1'), SUBSTR("s"."mask_1_permuted", 1, LENGTH(struct_extract("s"."mask_1_parts", 'group_2'))), struct_extract("s"."mask_1_parts", 'group_3'), SUBSTR("s"."mask_1_permuted", 1 + LENGTH(struct_extract("s"."mask_1_parts", 'group_2')), LENGTH(struct_extract("s"."mask_1_parts", 'group_4'))), struct_extract("s"."mask_1_parts", 'group_5'), SUBSTR("s"."mask_1_permuted", 1 + LENGTH(struct_extract("s"."mask_1_parts", 'group_2')) + LENGTH(struct_extract("s"."mask_1_parts", 'group_4')), LENGTH(struct_extract("s"."mask_1_parts", 'group_6'))), struct_extract("s"."mask_1_parts", 'group_7')) ELSE ARRAY_TO_STRING([part || SUBSTR("s"."mask_1_permuted", i, 1) FOR part, i IN STRING_SPLIT(TRANSLATE(CAST("s"."se""x" AS VARCHAR), '123456789', '000000000'), '0')], '') || SUBSTR("s"."mask_1_permuted", 1, 0) END AS "se""x"
FROM (
  SELECT
    s.*,
    SUBSTR(CAST(CAST("s"."mask_1_8" + CAST(POW(10, CAST(LENGTH("s"."mask_1_digits") // 2 AS INTEGER)) AS BIGINT) AS HUGEINT) * CAST(POW(10, CAST(LENGTH("s"."mask_1_digits") - CAST(LENGTH("s"."mask_1_digits") // 2 AS INTEGER) AS INTEGER)) AS BIGINT) + "s"."mask_1_9" AS VARCHAR), 2) AS "mask_1_permuted"
FROM (
  SELECT
    s.*,
    MOD("s"."mask_1_7" + CAST('0x' || SUBSTR(sha256(unhex(sha256(getvariable('kanon_inner_7191c3cf') || unhex(sha256(getvariable('kanon_outer_7191c3cf') || encode('format'))))) || encode(('8 ' || CAST("s"."mask_1_length" AS VARCHAR) || ' ' || CAST("s"."mask_1_8" AS VARCHAR)))), 1, 15) AS BIGINT), "s"."mask_1_many_1") AS "mask_1_9"
FROM (
  SELECT
    s.*,
    MOD("s"."mask_1_6" + CAST('0x' || SUBSTR(sha256(unhex(sha256(getvariable('kanon_inner_7191c3cf') || unhex(sha256(getvariable('kanon_outer_7191c3cf') || encode('format'))))) || encode(('7 ' || CAST("s"."mask_1_length" AS VARCHAR) || ' ' || CAST("s"."mask_1_7" AS VARCHAR)))), 1, 15) AS BIGINT), "s"."mask_1_many_0") AS "mask_1_8"
FROM (
  SELECT
    s.*,
    MOD("s"."mask_1_5" + CAST('0x' || SUBSTR(sha256(unhex(sha256(getvariable('kanon_inner_7191c3cf') || unhex(sha256(getvariable('kanon_outer_7191c3cf') || encode('format'))))) || encode(('6 ' || CAST("s"."mask_1_length" AS VARCHAR) || ' ' || CAST("s"."mask_1_6" AS VARCHAR)))), 1, 15) AS BIGINT), "s"."mask_1_many_1") AS "mask_1_7"
FROM (
  SELECT
    s.*,
    MOD("s"."mask_1_4" + CAST('0x' || SUBSTR(sha256(unhex(sha256(getvariable('kanon_inner_7191c3cf') || unhex(sha256(getvariable('kanon_outer_7191c3cf') || encode('format'))))) || encode(('5 ' || CAST("s"."mask_1_length" AS VARCHAR) || ' ' || CAST("s"."mask_1_5" AS VARCHAR)))), 1, 15) AS BIGINT), "s"."mask_1_many_0") AS "mask_1_6"
FROM (
  SELECT
    s.*,
    MOD("s"."mask_1_3" + CAST('0x' || SUBSTR(sha256(unhex(sha256(getvariable('kanon_inner_7191c3cf') || unhex(sha256(getvariable('kanon_outer_7191c3cf') || encode('format'))))) || encode(('4 ' || CAST("s"."mask_1_length" AS VARCHAR) || ' ' || CAST("s"."mask_1_4" AS VARCHAR)))), 1, 15) AS BIGINT), "s"."mask_1_many_1") AS "mask_1_5"
FROM (
  SELECT
    s.*,
    MOD("s"."mask_1_2" + CAST('0x' || SUBSTR(sha256(unhex(sha256(getvariable('kanon_inner_7191c3cf') || unhex(sha256(getvariable('kanon_outer_7191c3cf') || encode('format'))))) || encode(('3 ' || CAST("s"."mask_1_length" AS VARCHAR) || ' ' || CAST("s"."mask_1_3" AS VARCHAR)))), 1, 15) AS BIGINT), "s"."mask_1_many_0") AS "mask_1_4"
FROM (
  SELECT
    s.*,
    MOD("s"."mask_1_1" + CAST('0x' || SUBSTR(sha256(unhex(sha256(getvariable('kanon_inner_7191c3cf') || unhex(sha256(getvariable('kanon_outer_7191c3cf') || encode('format'))))) || encode(('2 ' || CAST("s"."mask_1_length" AS VARCHAR) || ' ' || CAST("s"."mask_1_2" AS VARCHAR)))), 1, 15) AS BIGINT), "s"."mask_1_many_1") AS "mask_1_3"
FROM (
  SELECT
    s.*,
    MOD("s"."mask_1_0" + CAST('0x' || SUBSTR(sha256(unhex(sha256(getvariable('kanon_inner_7191c3cf') || unhex(sha256(getvariable('kanon_outer_7191c3cf') || encode('format'))))) || encode(('1 ' || CAST("s"."mask_1_length" AS VARCHAR) || ' ' || CAST("s"."mask_1_1" AS VARCHAR)))), 1, 15) AS BIGINT), "s"."mask_1_many_0") AS "mask_1_2"
FROM (
  SELECT
    s.*,
    CAST(SUBSTR("s"."mask_1_digits", 1, CAST(LENGTH("s"."mask_1_digits") // 2 AS INTEGER)) AS BIGINT) AS "mask_1_0",
    CAST(POW(10, CAST(LENGTH("s"."mask_1_digits") // 2 AS INTEGER)) AS BIGINT) AS "mask_1_many_0",
    CAST(SUBSTR("s"."mask_1_digits", CAST(LENGTH("s"."mask_1_digits") // 2 AS INTEGER) + 1) AS BIGINT) AS "mask_1_1",
    CAST(POW(10, CAST(LENGTH("s"."mask_1_digits") - CAST(LENGTH("s"."mask_1_digits") // 2 AS INTEGER) AS INTEGER)) AS BIGINT) AS "mask_1_many_1",
    LENGTH("s"."mask_1_digits") AS "mask_1_length"
FROM (
  SELECT
    s.*,
    CASE WHEN LENGTH(CASE WHEN struct_extract("s"."mask_1_parts", 'group_2') <> '' THEN struct_extract("s"."mask_1_parts", 'group_2') || struct_extract("s"."mask_1_parts", 'group_4') || struct_extract("s"."mask_1_parts", 'group_6') ELSE REGEXP_REPLACE(CAST("s"."se""x" AS VARCHAR), '[^0-9]', '', 'g') END) BETWEEN 6 AND 30 THEN CASE WHEN struct_extract("s"."mask_1_parts", 'group_2') <> '' THEN struct_extract("s"."mask_1_parts", 'group_2') || struct_extract("s"."mask_1_parts", 'group_4') || struct_extract("s"."mask_1_parts", 'group_6') ELSE REGEXP_REPLACE(CAST("s"."se""x" AS VARCHAR), '[^0-9]', '', 'g') END END AS "mask_1_digits"
FROM (
  SELECT
    s.*,
    regexp_extract(CAST("s"."se""x" AS VARCHAR), '^(?:([^0-9]*)([0-9]+)([^0-9]*)([0-9]*)([^0-9]*)([0-9]*)([^0-9]*))$', ['group_1', 'group_2', 'group_3', 'group_4', 'group_5', 'group_6', 'group_7']) AS "mask_1_parts"
FROM "the source; DROP TABLE x" AS s
) AS s
) AS s
) AS s
) AS s
) AS s
) AS s
) AS s
) AS s
) AS s
) AS s
) AS s
) AS s
