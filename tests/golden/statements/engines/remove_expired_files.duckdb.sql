-- remove_expired_files
CALL ducklake_cleanup_old_files('la''ke', cleanup_all => true)
