RESET VARIABLE "kanon_inner_kanon_test_key"
