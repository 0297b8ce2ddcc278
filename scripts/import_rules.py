"""A contract for import-linter (see ``[tool.importlinter]`` in pyproject.toml)."""

from __future__ import annotations

from graphlib import CycleError, TopologicalSorter

from grimp import ImportGraph
from importlinter import Contract, ContractCheck, output


class NoCircleOfFiles(Contract):
    """Refuse files that import each other in a circle, be it only for types or within a function.

    import-linter's ``acyclic_siblings`` also refuses circles of packages whose files form none.
    """

    type_name = "no_circle_of_files"

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:  # noqa: ARG002
        imports = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
        try:
            TopologicalSorter(imports).prepare()
        except CycleError as error:
            return ContractCheck(kept=False, metadata={"circle": error.args[1]})
        return ContractCheck(kept=True)

    def render_broken_contract(self, check: ContractCheck) -> None:
        circle: list[str] = check.metadata["circle"]
        output.print_error("These files import each other: " + " <- ".join(circle))
        output.print_error("Move what they share to a file that imports none of them.")
