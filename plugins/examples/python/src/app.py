"""The tools of this extension: the words and sentences of a draft in the workspace. The counting is in `prose`."""

import prose
from componentize_py_types import Err
from innkeeper import Extension, Reply, ToolError
from wit_world.imports import reader

extension = Extension()


@extension.tool(
    "diction.check",
    title="Check the diction of a draft",
    description="""
Looks a text file of the workspace over: words that come too often, sentences that run too long, and openings that repeat.

Use it after a draft is finished and before it is committed. It judges form, not taste: keep what is meant to be so. It counts words of
scripts that put blanks between them.
""",
    input_schema={
        "type": "object",
        "properties": {
            "path": {
                "type": "string",
                "minLength": 1,
                "maxLength": 1024,
                "description": "The file, as `output/main.md`.",
            },
            "longest_sentence": {
                "type": "integer",
                "minimum": 5,
                "maximum": 200,
                "description": "A sentence of more words counts as long. 30 where not given.",
            },
        },
        "required": ["path"],
        "additionalProperties": False,
    },
    output_schema={
        "type": "object",
        "properties": {
            "words": {"type": "integer"},
            "sentences": {"type": "integer"},
            "often": {"type": "array", "items": {"type": "object"}},
            "long": {"type": "array", "items": {"type": "object"}},
            "openings": {"type": "array", "items": {"type": "object"}},
        },
        "required": ["words", "sentences", "often", "long", "openings"],
    },
    read_only=True,
    idempotent=True,
    uses=["innkeeper:workspace/reader"],
)
def check(path, longest_sentence=30):
    try:
        text = reader.read(path).text
    except Err as error:
        raise unreadable(path, error.value) from None
    found = prose.look_over(text, longest_sentence)
    return Reply(found.words_for(path), structured=found.as_dict(), refs=[f"workspace:{path}"])


def unreadable(path, why):
    """A refusal of the host in words that lead on. The path is quoted only as far as it is needed."""
    shown = path[:100]
    kind = type(why).__name__.removeprefix("PathError_")
    if kind in ("NotFound", "NotVisible"):
        return ToolError("no_such_file", f"There is no file {shown!r} here. List the files, and call again with one of them.")
    if kind == "IsDirectory":
        return ToolError("no_file", f"{shown!r} is a folder. Call again with a file in it.")
    return ToolError("unreadable", f"{shown!r} cannot be read as text ({kind}). Call again with a text file.")


Tool = extension.component()
