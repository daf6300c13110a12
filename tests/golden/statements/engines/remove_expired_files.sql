-- duckdb
CALL ducklake_cleanup_old_files('la''ke', cleanup_all => true)
