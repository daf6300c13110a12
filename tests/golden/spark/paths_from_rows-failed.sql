CREATE TEMP VIEW `failed --` AS
SELECT *
FROM (
  VALUES
    ('16')
) AS p (value)
