-- count_missing_entries
SELECT
  COALESCE(SUM(CASE WHEN decode(encode(CAST("m"."se""x" AS VARCHAR))) = 'it''s' THEN 1 ELSE 0 END), 0) AS "entry_1",
  COALESCE(SUM(CASE WHEN decode(encode(CAST("m"."se""x" AS VARCHAR))) = 'NA' THEN 1 ELSE 0 END), 0) AS "entry_2",
  COALESCE(SUM(CASE WHEN TRIM(decode(encode(CAST("m"."se""x" AS VARCHAR)))) = '' THEN 1 ELSE 0 END), 0) AS "entry_3",
  COALESCE(SUM(CASE WHEN decode(encode(CAST("m"."se""x" AS VARCHAR))) = 'N''A' THEN 1 ELSE 0 END), 0) AS "entry_4",
  COALESCE(SUM(CASE WHEN "m"."age
of 👩" = 999 THEN 1 ELSE 0 END), 0) AS "entry_5",
  0 AS "entry_6",
  0 AS "entry_7",
  0 AS "entry_8",
  COALESCE(SUM(CASE WHEN decode(encode(CAST("m"."zip; --" AS VARCHAR))) = 'N''A' THEN 1 ELSE 0 END), 0) AS "entry_9",
  COALESCE(SUM(CASE WHEN decode(encode(CAST("m"."SELECT" AS VARCHAR))) = 'NA' THEN 1 ELSE 0 END), 0) AS "entry_10",
  COALESCE(SUM(CASE WHEN decode(encode(CAST("m"."SELECT" AS VARCHAR))) = 'N''A' THEN 1 ELSE 0 END), 0) AS "entry_11"
FROM "the source; DROP TABLE x" AS m
