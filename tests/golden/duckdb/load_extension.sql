LOAD "json"
