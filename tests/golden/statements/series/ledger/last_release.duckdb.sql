-- last_release
SELECT
  number, released_at, recoding, key_check, key_types, least_people, source_rows, outside, shown, born, withheld, waiting,
  left_rows, withdrawn, ended
FROM "releases; --" AS r
ORDER BY number DESC
LIMIT 1
