// An oracle: a question about the story, how likely a yes is, and chance decides.

import { below } from "innkeeper:random/random@0.1.0";
import { write } from "innkeeper:log/log@0.1.0";
import { defineTools, reply, ToolError } from "./innkeeper.js";

// Chances of a yes, in percent.
const ODDS = { impossible: 2, unlikely: 25, even: 50, likely: 75, certain: 98 };

// One draw in so many is a twist: something that nobody asked about.
const TWIST = 10;

const ask = {
  name: "oracle.ask",
  title: "Ask the oracle",
  description: `Answers a yes-or-no question about the story by chance, at the odds that you give.

Use it when the story could turn either way and you should not decide: whether a door is guarded, whether a stranger lies. Ask once and accept the answer. An answer may come with "and" (more than that), "but" (less than that), and now and then with a twist: something new happens.`,
  input: {
    type: "object",
    properties: {
      question: { type: "string", minLength: 1, maxLength: 500, description: "A question that yes or no can answer." },
      odds: {
        type: "string",
        enum: Object.keys(ODDS),
        description: "How likely a yes is, in the story as it stands. even where not given.",
      },
    },
    required: ["question"],
    additionalProperties: false,
  },
  output: {
    type: "object",
    properties: {
      answer: { enum: ["yes", "no"] },
      degree: { enum: ["and", "but", "plain"] },
      twist: { type: "boolean" },
      roll: { type: "integer", minimum: 1, maximum: 100 },
    },
    required: ["answer", "degree", "twist", "roll"],
  },
  readOnly: true,
  uses: ["innkeeper:random/random"],

  call({ question, odds = "even" }) {
    const asked = question.trim();
    if (asked === "") {
      throw new ToolError("no_question", "The oracle was asked nothing: the question is blank. Call again with a question.");
    }
    const chance = ODDS[odds];
    const roll = below(100) + 1;
    const answer = roll <= chance ? "yes" : "no";
    const degree = degreeOf(roll, chance);
    const twist = below(TWIST) === 0;
    write("info", `${roll} against ${chance}`);
    const words = { and: `${answer}, and more than that`, but: `${answer}, but less than that`, plain: answer }[degree];
    const more = twist ? " And a twist: something new happens that nobody asked about." : "";
    return reply(`${asked} The oracle says ${words}.${more}`, { structured: { answer, degree, twist, roll } });
  },
};

// The fifth of the numbers that is furthest from the edge between yes and no is an "and", the fifth nearest to it a "but".
function degreeOf(roll, chance) {
  const [size, depth] = roll <= chance ? [chance, roll] : [100 - chance, 101 - roll];
  if (depth * 5 <= size) return "and";
  return depth * 5 > size * 4 ? "but" : "plain";
}

export const tool = defineTools([ask]);
