-- add_release
INSERT INTO "releases; --"
SELECT
  1,
  '2026-01-01',
  'it''s',
  'a;b',
  'c''d',
  2,
  9,
  0,
  COUNT(birth_release) - COUNT(death_release),
  COUNT(CASE WHEN birth_release = 1 THEN 1 END),
  COUNT(*) - COUNT(birth_release),
  COUNT(CASE WHEN death_release IS NULL THEN gone_release END),
  COUNT(CASE WHEN death_release = 1 THEN 1 END),
  COUNT(CASE WHEN death_release = 1 AND gone_release IS NULL THEN 1 END),
  0
FROM "ledger; --" AS l
