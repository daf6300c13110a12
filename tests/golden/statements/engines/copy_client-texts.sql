-- postgres
COPY "jobs" FROM STDIN
