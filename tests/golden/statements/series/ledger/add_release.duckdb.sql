-- add_release
INSERT INTO "releases; --"
SELECT
  1 AS number,
  '2026-01-01' AS released_at,
  'it''s' AS recoding,
  'a;b' AS key_check,
  'c''d' AS key_types,
  2 AS least_people,
  9 AS source_rows,
  0 AS outside,
  COUNT(birth_release) - COUNT(death_release) AS shown,
  COUNT(CASE WHEN birth_release = 1 THEN 1 END) AS born,
  COUNT(*) - COUNT(birth_release) AS withheld,
  COUNT(CASE WHEN death_release IS NULL THEN gone_release END) AS waiting,
  COUNT(CASE WHEN death_release = 1 THEN 1 END) AS left_rows,
  COUNT(CASE WHEN death_release = 1 AND gone_release IS NULL THEN 1 END) AS withdrawn,
  0 AS ended
FROM "ledger; --" AS l
