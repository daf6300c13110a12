RESET search_path
