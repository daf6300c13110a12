-- end_script
RESET search_path
