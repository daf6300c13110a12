{# made by kanon-sql dbt plan, from kanon/patients_anon.plan.yml: make it again, and do not edit it #}
{% macro kanon_plan__patients_anon() %}
{{ return({
  "hash": "b92314f74ed79b05238e84988e729bb1e11a10d5be4d1748ad9af10a028d15fe",
  "promise": "5-anonymity over sex, born, zip, job; distinct 2-diversity of disease over sex, born, zip, job, counted by patient_id",
  "entity": "patient_id",
  "by_buckets": true,
  "nulls": "category",
  "sensitive_nulls": "not_counted",
  "passes": 1,
  "models": [{"over": ["sex", "born", "zip", "job"], "k": 5, "distinct_l": {"disease": 2}}],
  "released": ["sex", "born", "zip", "job", "disease"],
  "columns": [
    {"name": "patient_id", "becomes": "nothing"},
    {"name": "name", "becomes": "nothing"},
    {"name": "sex", "becomes": "value", "released": ["sex"], "quasi": true},
    {
      "name": "born",
      "becomes": "labels",
      "released": ["born"],
      "quasi": true,
      "level": 2,
      "height": 3,
      "hierarchy": "ref('kanon_patients_anon_born')",
      "alias": "born_labels",
      "by_text": false,
      "seeded": false
    },
    {"name": "zip", "becomes": "value", "released": ["zip"], "quasi": true, "longest": 5},
    {
      "name": "job",
      "becomes": "labels",
      "released": ["job"],
      "quasi": true,
      "level": 2,
      "height": 2,
      "hierarchy": "ref('kanon_patients_anon_job')",
      "alias": "job_labels",
      "by_text": true,
      "seeded": true
    },
    {"name": "disease", "becomes": "value", "released": ["disease"]},
    {"name": "loaded_on", "becomes": "nothing"}
  ]
}) }}
{% endmacro %}
