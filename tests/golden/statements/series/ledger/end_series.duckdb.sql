-- end_series
UPDATE "releases; --"
SET ended = 1
WHERE number = 1
