-- postgres
SELECT CURRENT_SETTING('kanon_sql.client_rows', TRUE) AS value
