"""What README and docs claim is run: the Python examples, the commands' names, the links."""

import re
import tomllib
from pathlib import Path

import pytest

from heartlab import cli
from heartlab.learners.td_features.features import ATOMS, CARD_ATOMS, HEART_ATOMS
from heartlab.learners.td_features.moon import place_moon

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
SKETCHES = ('deal.play("QS")', "...", "obs = deal.observe(2)", "games.hearts", "from my_")
"""Examples that show an error on purpose, leave something out, or need a file of the reader's."""
LONG = {"falcon.md", "search.md"}
"""Pages whose examples compile for long."""
EXAMPLES = [
    pytest.param(code, id=f"{page.name}-{number}", marks=[pytest.mark.slow] if page.name in LONG else [])
    for page in PAGES
    for number, code in enumerate(re.findall(r"```python\n(.*?)```", page.read_text(), re.S))
    if not any(piece in code for piece in SKETCHES)
]


@pytest.mark.usefixtures("own_atoms", "own_names")
@pytest.mark.parametrize("code", EXAMPLES)
def test_examples_run(code, capsys):
    exec(compile(code, "<example>", "exec"), {"__name__": "__main__"})


def test_some_examples_are_left():
    assert len(EXAMPLES) >= 5


def test_commands_in_the_docs_exist():
    known = {command.name or command.callback.__name__ for command in cli.app.registered_commands}
    known |= {group.typer_instance.info.name for group in cli.app.registered_groups}
    for page in PAGES:
        for block in re.findall(r"```sh\n(.*?)```", page.read_text(), re.S):
            for name in re.findall(r"(?:^|/)heartlab (?:--use \S+ )?([a-z][a-z-]*)", block, re.M):
                assert name in known, f"{page.name}: heartlab {name}"


def test_the_list_of_atomic_features_is_that_of_the_program():
    listed = re.findall(r"^\| (\d+) \| (.*) \| (.*) \|$", (ROOT / "docs" / "atoms.md").read_text(), re.M)
    numbers = [*CARD_ATOMS, *HEART_ATOMS, *place_moon()]
    assert listed == [(str(number), ATOMS[number].name, ATOMS[number].sentence) for number in numbers]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#]+?)(?:#[^)]*)?\)", page.read_text()):
        if "://" not in target:
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_every_page_is_reachable():
    """From README or the first page, by links of pages that are reachable themselves."""
    found = {ROOT / "README.md", ROOT / "docs" / "index.md"}
    fresh = list(found)
    while fresh:
        page = fresh.pop()
        targets = {(page.parent / name).resolve() for name in re.findall(r"\]\(([^)#:]+\.md)[)#]", page.read_text())}
        fresh += targets - found
        found |= targets
    assert not sorted(str(page.relative_to(ROOT)) for page in set((ROOT / "docs").rglob("*.md")) - found)


def test_files_of_ones_own_have_a_name_per_page():
    """Whoever follows two pages in one folder must not overwrite what the first made."""
    owners = {}
    for page in sorted((ROOT / "docs").glob("*.md")):
        for name in re.findall(r"--use (\w+\.py)|--out (runs/my\S*)", page.read_text()):
            assert owners.setdefault(name, page.name) == page.name, f"{name} is on {owners[name]} and {page.name}"
    assert len(owners) >= 5


def test_models_of_general_games_are_made_before_they_are_used():
    made = set()
    for block in re.findall(r"```sh\n(.*?)```", (ROOT / "docs" / "ggp.md").read_text(), re.S):
        for line in block.splitlines():
            command = line.partition("#")[0]
            output = re.search(r"discover \S+ (\S+\.json)|pool (\S+\.json)|save=(\S+\.json)", command)
            fresh = set(filter(None, output.groups())) if output else set()
            used = set(re.findall(r"[\w-]+\.json\b", command)) - fresh
            assert used <= made, f"{command}: no command before makes {sorted(used - made)}"
            made |= fresh
    assert len(made) >= 5


def test_the_source_distribution_has_what_the_docs_and_contributors_need():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())
    included = settings["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]
    assert {"src", "tests", "docs", "examples", "README.md", "CONTRIBUTING.md", "mkdocs.yml"} <= set(included)
    assert all((ROOT / name).exists() for name in included)
