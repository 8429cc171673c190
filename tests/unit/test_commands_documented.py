"""Every command has its row in docs/commands.md, with every option that it takes."""

import re
from pathlib import Path

import pytest
from django.core.management import get_commands, load_command_class

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "commands.md").read_text(encoding="utf-8")
COMMANDS = sorted(name for name, app in get_commands().items() if app == "labeling")
DJANGO_OPTIONS = {
    "--help", "--version", "--verbosity", "--settings", "--pythonpath", "--traceback", "--no-color", "--force-color",
    "--skip-checks", "--json",
}  # fmt: skip


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_is_documented_with_all_of_its_options(name):
    parser = load_command_class("labeling", name).create_parser("manage.py", name)
    parsers = [parser]
    for action in parser._actions:
        if isinstance(action.choices, dict):
            parsers += action.choices.values()
    options = {
        option
        for found in parsers
        for action in found._actions
        for option in action.option_strings
        if option.startswith("--")
    }

    rows = re.findall(rf"^\| `{name}\b.*$", PAGE, flags=re.MULTILINE)

    assert rows
    assert {option for option in options - DJANGO_OPTIONS if option not in " ".join(rows)} == set()
