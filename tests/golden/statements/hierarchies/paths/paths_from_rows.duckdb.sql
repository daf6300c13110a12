-- paths_from_rows
CREATE TEMP TABLE "paths se""x" AS
SELECT *
FROM (
  VALUES
    ('F', 'person'),
    ('M', 'person')
) AS p (value, "level_1")
