RESET VARIABLE "kanon_key_kanon_test_key"
