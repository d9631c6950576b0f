// From a list of tools to what a component exports: specs, dispatch, replies and failures.
// It knows no tool and no capability; there is no need to change it.

/** A failure that the model can act on. The host stores its code as `extension.<id>.<code>`. */
export class ToolError extends Error {
  /**
   * @param {string} code stable, lower case: `nothing_found`
   * @param {string} message what happened, why, and the next call that would work
   * @param {unknown} [details] for programs
   */
  constructor(code, message, details) {
    super(message);
    this.code = code;
    this.details = details;
  }
}

/**
 * A successful answer.
 * @param {string} text what the model reads
 * @param {{structured?: unknown, refs?: string[]}} [more] the result for programs; what it refers to, as `chat:current#4`
 */
export function reply(text, { structured, refs = [] } = {}) {
  return { text, structured, refs };
}

/** What a component exports as `tool`. */
export function defineTools(tools) {
  return {
    specs: () => tools.map(spec),
    call({ name, arguments: json }) {
      const found = tools.find((tool) => tool.name === name);
      if (!found) {
        throw failure(new ToolError("unknown_tool", `This extension has no tool named ${name}; use one that it lists.`));
      }
      try {
        return wireReply(found.call(JSON.parse(json)));
      } catch (error) {
        throw failure(error);
      }
    },
  };
}

function spec(tool) {
  return {
    name: tool.name,
    title: tool.title,
    description: tool.description.trim(),
    inputSchema: JSON.stringify(tool.input),
    outputSchema: tool.output && JSON.stringify(tool.output),
    annotations: {
      readOnly: tool.readOnly ?? false,
      destructive: tool.destructive ?? false,
      idempotent: tool.idempotent ?? false,
      openWorld: tool.openWorld ?? false,
      cost: tool.cost ?? "low",
    },
    visibility: tool.visibility ?? "model",
    permission: tool.permission ?? "allow",
    budget: { maxCalls: tool.maxCalls, maxOutputChars: tool.maxOutputChars, timeoutMs: tool.timeoutMs },
    uses: tool.uses ?? [],
  };
}

function wireReply({ text, structured, refs }) {
  return {
    content: [{ tag: "text", val: whole(text) }],
    structured: structured === undefined ? undefined : JSON.stringify(structured),
    resourceRefs: refs.map(whole),
  };
}

// An exception that nobody threw on purpose would end the call without a word; so it becomes a failure that can be found.
function failure(error) {
  const known = error instanceof ToolError;
  return {
    code: known ? error.code : "internal",
    message: whole(known ? error.message : `The tool broke down: ${error}`),
    details: known && error.details !== undefined ? JSON.stringify(error.details) : undefined,
  };
}

// Half of a surrogate pair, as `slice` leaves behind in an emoji, is no text for a component, which would end with a trap.
function whole(text) {
  return String(text).replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, "\ufffd");
}
