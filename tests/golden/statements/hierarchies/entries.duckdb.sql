-- entries
SELECT value, "level_1", "level_2"
FROM "paths SELECT" AS p
LIMIT 9
