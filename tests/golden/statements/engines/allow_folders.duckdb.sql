-- allow_folders
SET GLOBAL allowed_directories = ['/srv/o''ne', '/srv/two']
