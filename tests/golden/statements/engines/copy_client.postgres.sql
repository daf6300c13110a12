-- copy_client-texts
COPY "jobs" FROM STDIN
