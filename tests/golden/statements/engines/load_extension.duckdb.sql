-- load_extension
LOAD "json"
