RESET VARIABLE "kanon_outer_kanon_test_key"
