-- session_setting
SELECT CURRENT_SETTING('kanon.client_rows', TRUE) AS value
