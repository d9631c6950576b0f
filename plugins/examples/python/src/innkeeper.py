"""From functions to what a component exports: specs, dispatch, replies and failures.

It knows no tool and no capability; there is no need to change it.
"""

import json

from componentize_py_types import Err
from wit_world import exports
from wit_world.exports import tool as wit


class ToolError(Exception):
    """A failure that the model can act on. The host stores its code as `extension.<id>.<code>`."""

    def __init__(self, code, message, details=None):
        """code: stable, lower case, as `nothing_found`; message: what happened, why, and the next call that would work."""
        super().__init__(message)
        self.code = code
        self.message = message
        self.details = details


class Reply:
    """A successful answer: what the model reads, the result for programs, and what it refers to, as `chat:current#4`."""

    def __init__(self, text, structured=None, refs=()):
        self.text = text
        self.structured = structured
        self.refs = refs


class Extension:
    """The tools of a component."""

    def __init__(self):
        self._tools = {}

    def tool(
        self,
        name,
        *,
        title,
        description,
        input_schema,
        output_schema=None,
        read_only=False,
        destructive=False,
        idempotent=False,
        open_world=False,
        cost="low",
        visibility="model",
        permission="allow",
        max_calls=None,
        max_output_chars=None,
        timeout_ms=None,
        uses=(),
    ):
        """Makes a tool of a function, which gets the arguments by their names and returns a `Reply`."""
        spec = wit.Spec(
            name=name,
            title=title,
            description=description.strip(),
            input_schema=json.dumps(input_schema),
            output_schema=None if output_schema is None else json.dumps(output_schema),
            annotations=wit.Annotations(read_only, destructive, idempotent, open_world, wit.Cost[cost.upper()]),
            visibility=wit.Visibility[visibility.upper()],
            permission=wit.Permission[permission.upper()],
            budget=wit.Budget(max_calls, max_output_chars, timeout_ms),
            uses=list(uses),
        )

        def register(function):
            self._tools[name] = (spec, function)
            return function

        return register

    def component(self):
        """The class that a component exports; call it `Tool`."""
        tools = self._tools

        class Tool(exports.Tool):
            def specs(self):
                return [spec for spec, _ in tools.values()]

            def call(self, request):
                try:
                    return _reply(_perform(tools, request))
                except ToolError as error:
                    details = None if error.details is None else json.dumps(error.details)
                    failure = wit.Failure(error.code, error.message, details)
                except Exception as error:
                    # An exception that nobody raised on purpose would end the call without a word.
                    failure = wit.Failure("internal", f"The tool broke down: {error!r}", None)
                raise Err(failure)

        return Tool


def _perform(tools, request):
    if request.name not in tools:
        raise ToolError("unknown_tool", f"This extension has no tool named {request.name}; use one that it lists.")
    _, function = tools[request.name]
    return function(**json.loads(request.arguments))


def _reply(reply):
    structured = None if reply.structured is None else json.dumps(reply.structured)
    return wit.Reply([wit.Block_Text(reply.text)], structured, list(reply.refs))
