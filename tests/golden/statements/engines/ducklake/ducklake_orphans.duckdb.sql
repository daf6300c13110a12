-- ducklake_orphans
FROM ducklake_delete_orphaned_files('la''ke', cleanup_all => true, dry_run => true)
