-- close_other_files
SET GLOBAL enable_external_access = false
