CREATE TEMP TABLE "failed --" AS
SELECT *
FROM (
  VALUES
    ('16')
) AS p (value)
