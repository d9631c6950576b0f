"""The tools of this extension. Nothing survives a call: every call gets an instance of its own."""

from innkeeper import Extension, Reply, ToolError
from wit_world.imports import random

extension = Extension()


@extension.tool(
    "{{tool}}.pick",
    title="Pick one",
    # What the model reads: what the tool does, when to use it, what its limits are.
    description="""
Picks one of several options at random and says which.

Use it whenever chance should decide between things that have names; never choose in your own head. At most 100 options.
""",
    # JSON Schema of the arguments. The host checks it before every call.
    input_schema={
        "type": "object",
        "properties": {
            "options": {
                "type": "array",
                "items": {"type": "string", "minLength": 1},
                "minItems": 1,
                "maxItems": 100,
                "description": "What to choose from.",
            },
        },
        "required": ["options"],
        "additionalProperties": False,
    },
    # JSON Schema of the structured result. The host checks it after every call.
    output_schema={
        "type": "object",
        "properties": {"index": {"type": "integer"}, "option": {"type": "string"}},
        "required": ["index", "option"],
    },
    read_only=True,
    # A call of this tool can reach these interfaces and no others.
    uses=["innkeeper:random/random"],
)
def pick(options):
    if all(option.strip() == "" for option in options):
        # A failure that the model can act on: what happened, why, and the next call that would work.
        raise ToolError(
            "nothing_to_pick",
            "Nothing was picked: every option is blank. Call again with options that have names.",
        )
    index = random.below(len(options))
    option = options[index]
    return Reply(f"Picked {option} ({index + 1} of {len(options)}).", structured={"index": index, "option": option})


Tool = extension.component()
