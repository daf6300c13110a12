-- Ends in an error if any claim fails, so that the shell exits with one.
SELECT CASE
  WHEN CURRENT_SETTING('kanon_sql.failed') <> '0'
    THEN CAST(CAST(CONCAT('FAIL: ', CURRENT_SETTING('kanon_sql.failed'), ' claims do not hold') AS INTEGER) AS TEXT)
  ELSE 'no claim fails'
END AS verdict
