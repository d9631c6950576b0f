// The tools of this extension. Nothing survives a call: every call gets an instance of its own.

import { below } from "innkeeper:random/random@0.1.0";
import { defineTools, reply, ToolError } from "./innkeeper.js";

const pick = {
  name: "{{tool}}.pick",
  title: "Pick one",
  // What the model reads: what the tool does, when to use it, what its limits are.
  description: `Picks one of several options at random and says which.

Use it whenever chance should decide between things that have names; never choose in your own head. At most 100 options.`,
  // JSON Schema of the arguments. The host checks it before every call.
  input: {
    type: "object",
    properties: {
      options: {
        type: "array",
        items: { type: "string", minLength: 1 },
        minItems: 1,
        maxItems: 100,
        description: "What to choose from.",
      },
    },
    required: ["options"],
    additionalProperties: false,
  },
  // JSON Schema of the structured result. The host checks it after every call.
  output: {
    type: "object",
    properties: { index: { type: "integer" }, option: { type: "string" } },
    required: ["index", "option"],
  },
  readOnly: true,
  // A call of this tool can reach these interfaces and no others.
  uses: ["innkeeper:random/random"],

  call({ options }) {
    if (options.every((option) => option.trim() === "")) {
      // A failure that the model can act on: what happened, why, and the next call that would work.
      throw new ToolError(
        "nothing_to_pick",
        "Nothing was picked: every option is blank. Call again with options that have names.",
      );
    }
    const index = below(options.length);
    const option = options[index];
    return reply(`Picked ${option} (${index + 1} of ${options.length}).`, { structured: { index, option } });
  },
};

export const tool = defineTools([pick]);
