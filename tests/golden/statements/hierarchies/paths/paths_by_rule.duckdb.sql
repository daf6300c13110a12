-- paths_by_rule-codes
CREATE TEMP TABLE "codes of paths" AS
SELECT
  value,
  CASE WHEN "label_3" IS NOT NULL THEN "label_1" END AS "level_1",
  CASE WHEN "label_3" IS NOT NULL THEN "label_2" END AS "level_2",
  CASE WHEN "label_3" IS NOT NULL THEN "label_3" END AS "level_3",
  CASE WHEN value IS NULL OR "label_3" IS NOT NULL THEN '*' END AS "level_4"
FROM (
  SELECT
    value,
    stem,
    CASE WHEN LENGTH("code") > 2 THEN SUBSTRING("code", 1, 2) || '.' || SUBSTRING("code", 3, 1) ELSE "code" END AS "label_1",
    SUBSTRING("code", 1, 2) AS "label_2",
    CASE
      WHEN "stem" >= '01' AND "stem" <= '03' THEN 'A agriculture, forestry and fishing'
      WHEN "stem" >= '05' AND "stem" <= '09' THEN 'B mining and quarrying'
      WHEN "stem" >= '10' AND "stem" <= '33' THEN 'C manufacturing'
      WHEN "stem" IN ('35') THEN 'D electricity and gas'
      WHEN "stem" >= '36' AND "stem" <= '39' THEN 'E water and waste'
      WHEN "stem" >= '41' AND "stem" <= '43' THEN 'F construction'
      WHEN "stem" >= '45' AND "stem" <= '47' THEN 'G trade'
      WHEN "stem" >= '49' AND "stem" <= '53' THEN 'H transport and storage'
      WHEN "stem" >= '55' AND "stem" <= '56' THEN 'I accommodation and food'
      WHEN "stem" >= '58' AND "stem" <= '63' THEN 'J information and communication'
      WHEN "stem" >= '64' AND "stem" <= '66' THEN 'K finance and insurance'
      WHEN "stem" IN ('68') THEN 'L real estate'
      WHEN "stem" >= '69' AND "stem" <= '75' THEN 'M professional, scientific and technical activities'
      WHEN "stem" >= '77' AND "stem" <= '82' THEN 'N administrative and support services'
      WHEN "stem" IN ('84') THEN 'O public administration and defence'
      WHEN "stem" IN ('85') THEN 'P education'
      WHEN "stem" >= '86' AND "stem" <= '88' THEN 'Q health and social work'
      WHEN "stem" >= '90' AND "stem" <= '93' THEN 'R arts, entertainment and recreation'
      WHEN "stem" >= '94' AND "stem" <= '96' THEN 'S other services'
      WHEN "stem" >= '97' AND "stem" <= '98' THEN 'T households as employers'
      WHEN "stem" IN ('99') THEN 'U extraterritorial organisations'
    END AS "label_3"
  FROM (
    SELECT
      value,
      code,
      CASE WHEN LENGTH("code") IN (2, 3, 4) AND SUBSTRING("code", 1, 1) IN ('0', '1', '2', '3', '4', '5', '6', '7', '8', '9') AND SUBSTRING("code", 2, 1) IN ('0', '1', '2', '3', '4', '5', '6', '7', '8', '9') AND (LENGTH("code") < 3 OR SUBSTRING("code", 3, 1) IN ('0', '1', '2', '3', '4', '5', '6', '7', '8', '9')) AND (LENGTH("code") < 4 OR SUBSTRING("code", 4, 1) IN ('0', '1', '2', '3', '4', '5', '6', '7', '8', '9')) THEN SUBSTRING("code", 1, 2) END AS stem
    FROM (
      SELECT
        value,
        REPLACE(UPPER(TRIM(CAST("value" AS VARCHAR))), '.', '') AS code
      FROM "of codes" AS d
    ) AS c
  ) AS s
) AS l
