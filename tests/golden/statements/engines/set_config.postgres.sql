-- set_config
SELECT SET_CONFIG('search_path', '"$us''er", public', TRUE)
