-- postgres
COPY "si'des" ("region", "hi'gh") TO STDOUT WITH (FORMAT csv)
