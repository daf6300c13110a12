-- fail_script
-- Ends in an error if any claim fails, so that the shell exits with an error.
SELECT CASE WHEN CURRENT_SETTING('kanon_sql.failed') <> '0'
    THEN CAST(CAST(CONCAT('FAIL: ', CURRENT_SETTING('kanon_sql.failed'), ' claims do not hold') AS INTEGER) AS TEXT)
  WHEN CURRENT_SETTING('kanon_sql.unchecked') <> '0'
    THEN CONCAT('no claim fails, and ', CURRENT_SETTING('kanon_sql.unchecked'), ' cannot be checked here')
  ELSE 'every claim holds' END AS verdict
