-- list_tables
SHOW TABLES
