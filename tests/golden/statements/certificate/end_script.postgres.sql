-- end_script
COMMIT
