"""`kanon-sql schema`: the JSON Schema of policies and certificates."""

from __future__ import annotations

import json

import click

from kanon_sql.apps.cli import options
from kanon_sql.apps.cli.console import print_json
from kanon_sql.apps.cli.options import Command
from kanon_sql.apps.schema.read_schema import schema_of_policies
from kanon_sql.evidence.certificate.certificate import certificate_schema


@click.command("schema", cls=Command)
@options.option("--certificate", "Print the schema of certificate.json instead.")
@options.json
def command(*, certificate: bool, as_json: bool) -> None:
    """Print the JSON Schema of policies, for editors.

    Save it, and name it in the first line of a policy: # yaml-language-server: $schema=FILE
    """
    schema = certificate_schema() if certificate else schema_of_policies()
    if as_json:
        print_json({"status": "ok", "schema": schema})
        return
    click.echo(json.dumps(schema, indent=2))
