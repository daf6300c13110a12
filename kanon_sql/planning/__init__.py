"""From a policy to a plan, and from a plan back to its inputs."""
