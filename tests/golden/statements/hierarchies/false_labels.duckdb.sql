-- false_labels
SELECT
  COALESCE(SUM(CASE
    WHEN "low_1" > "high_1" THEN 0
    WHEN number < "low_1" THEN 1
    WHEN number = "low_1" AND "opening_1" IN ('(', ']') THEN 1
    WHEN "closing_1" = ']' AND number > "high_1" THEN 1
    WHEN "closing_1" IN (')', '[') AND number >= "high_1" THEN 1
    WHEN "closing_1" NOT IN (']', ')', '[') AND number >= "high_1" + 1000000 THEN 1
    ELSE 0
  END), 0) AS "wrong_1",
  COALESCE(SUM(CASE
    WHEN "low_2" > "high_2" THEN 0
    WHEN number < "low_2" THEN 1
    WHEN number = "low_2" AND "opening_2" IN ('(', ']') THEN 1
    WHEN "closing_2" = ']' AND number > "high_2" THEN 1
    WHEN "closing_2" IN (')', '[') AND number >= "high_2" THEN 1
    WHEN "closing_2" NOT IN (']', ')', '[') AND number >= "high_2" + 1000000 THEN 1
    ELSE 0
  END), 0) AS "wrong_2"
FROM (
  SELECT
    CASE WHEN regexp_full_match(CAST("t"."value" AS VARCHAR), '[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,2})?') THEN CAST(FLOOR(TRY_CAST(CAST("t"."value" AS VARCHAR) AS DECIMAL(30, 15))) AS HUGEINT) * 1000000 + CAST(FLOOR((TRY_CAST(CAST("t"."value" AS VARCHAR) AS DECIMAL(30, 15)) - FLOOR(TRY_CAST(CAST("t"."value" AS VARCHAR) AS DECIMAL(30, 15)))) * 1000000) AS HUGEINT) END AS number,
    "t"."opening_1",
    "t"."closing_1",
    CASE WHEN regexp_full_match(CAST("t"."low_1" AS VARCHAR), '[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,2})?') THEN CAST(FLOOR(TRY_CAST(CAST("t"."low_1" AS VARCHAR) AS DECIMAL(30, 15))) AS HUGEINT) * 1000000 + CAST(FLOOR((TRY_CAST(CAST("t"."low_1" AS VARCHAR) AS DECIMAL(30, 15)) - FLOOR(TRY_CAST(CAST("t"."low_1" AS VARCHAR) AS DECIMAL(30, 15)))) * 1000000) AS HUGEINT) END AS "low_1",
    CASE WHEN regexp_full_match(CAST("t"."high_1" AS VARCHAR), '[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,2})?') THEN CAST(FLOOR(TRY_CAST(CAST("t"."high_1" AS VARCHAR) AS DECIMAL(30, 15))) AS HUGEINT) * 1000000 + CAST(FLOOR((TRY_CAST(CAST("t"."high_1" AS VARCHAR) AS DECIMAL(30, 15)) - FLOOR(TRY_CAST(CAST("t"."high_1" AS VARCHAR) AS DECIMAL(30, 15)))) * 1000000) AS HUGEINT) END AS "high_1",
    "t"."opening_2",
    "t"."closing_2",
    CASE WHEN regexp_full_match(CAST("t"."low_2" AS VARCHAR), '[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,2})?') THEN CAST(FLOOR(TRY_CAST(CAST("t"."low_2" AS VARCHAR) AS DECIMAL(30, 15))) AS HUGEINT) * 1000000 + CAST(FLOOR((TRY_CAST(CAST("t"."low_2" AS VARCHAR) AS DECIMAL(30, 15)) - FLOOR(TRY_CAST(CAST("t"."low_2" AS VARCHAR) AS DECIMAL(30, 15)))) * 1000000) AS HUGEINT) END AS "low_2",
    CASE WHEN regexp_full_match(CAST("t"."high_2" AS VARCHAR), '[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,2})?') THEN CAST(FLOOR(TRY_CAST(CAST("t"."high_2" AS VARCHAR) AS DECIMAL(30, 15))) AS HUGEINT) * 1000000 + CAST(FLOOR((TRY_CAST(CAST("t"."high_2" AS VARCHAR) AS DECIMAL(30, 15)) - FLOOR(TRY_CAST(CAST("t"."high_2" AS VARCHAR) AS DECIMAL(30, 15)))) * 1000000) AS HUGEINT) END AS "high_2"
  FROM (
    SELECT
      value,
      "opening_1",
      "closing_1",
      struct_extract("ends_1", 'group_1') AS "low_1",
      struct_extract("ends_1", 'group_4') AS "high_1",
      "opening_2",
      "closing_2",
      struct_extract("ends_2", 'group_1') AS "low_2",
      struct_extract("ends_2", 'group_4') AS "high_2"
    FROM (
      SELECT
        value,
        SUBSTR("label_1", 1, 1) AS "opening_1",
        SUBSTR("label_1", LENGTH("label_1"), 1) AS "closing_1",
        regexp_extract(CAST("l"."range_1" AS VARCHAR), '^(?:(-?[0-9]+([.][0-9]+)?) *(-|–|to|[.][.]|,|;) *(-?[0-9]+([.][0-9]+)?))$', ['group_1', 'group_2', 'group_3', 'group_4', 'group_5']) AS "ends_1",
        SUBSTR("label_2", 1, 1) AS "opening_2",
        SUBSTR("label_2", LENGTH("label_2"), 1) AS "closing_2",
        regexp_extract(CAST("l"."range_2" AS VARCHAR), '^(?:(-?[0-9]+([.][0-9]+)?) *(-|–|to|[.][.]|,|;) *(-?[0-9]+([.][0-9]+)?))$', ['group_1', 'group_2', 'group_3', 'group_4', 'group_5']) AS "ends_2"
      FROM (
        SELECT
          value,
          TRIM("level_1") AS "label_1",
          TRIM(TRANSLATE("level_1", '[]()', '    ')) AS "range_1",
          TRIM("level_2") AS "label_2",
          TRIM(TRANSLATE("level_2", '[]()', '    ')) AS "range_2"
        FROM "paths SELECT" AS p
      ) AS l
    ) AS e
  ) AS t
) AS n
