-- all_domains
CREATE TEMP TABLE "all domain's" AS
SELECT
  CASE WHEN "set_0" = 0 THEN '0' WHEN "set_1" = 0 THEN '2' WHEN "set_2" = 0 THEN '11' END AS quasi,
  CASE WHEN "set_0" = 0 THEN CAST("value_0" AS VARCHAR) WHEN "set_1" = 0 THEN CAST("value_1" AS VARCHAR) WHEN "set_2" = 0 THEN CAST("value_2" AS VARCHAR) END AS entry,
  "value_0",
  "value_1",
  "value_2",
  row_count
FROM (
  SELECT
    "s"."se""x" AS "value_0",
    GROUPING("s"."se""x") AS "set_0",
    "s"."age
of 👩" AS "value_1",
    GROUPING("s"."age
of 👩") AS "set_1",
    "s"."SELECT" AS "value_2",
    GROUPING("s"."SELECT") AS "set_2",
    COUNT(*) AS row_count
  FROM "the source; DROP TABLE x" AS s
  GROUP BY GROUPING SETS (("s"."se""x"), ("s"."age
of 👩"), ("s"."SELECT"))
) AS g
