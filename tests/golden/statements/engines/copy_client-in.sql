-- postgres
COPY "li'ke" FROM STDIN WITH (FORMAT csv)
