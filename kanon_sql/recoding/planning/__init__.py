"""Makes a plan from a policy, and opens a plan with its inputs. Package `plans` has the plan itself."""
