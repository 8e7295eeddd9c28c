/*
 * What models accept where their API does not say it, by their names; one that is not known is taken to accept what
 * the newest ones do. Sources: the vendors' migration guides, read on 2026-11-30.
 */

/** Whether a sampling temperature may be sent; newer models refuse a request that has one. */
export function acceptsTemperature(model: string): boolean {
  if (/^claude-/.test(model)) return /^claude-(3|(opus|sonnet|haiku)-4($|-[0-6]($|-)|-\d{8}$))/.test(model);
  return !isOpenAiReasoning(model);
}

/** Models of OpenAI that think before they answer. */
export function isOpenAiReasoning(model: string): boolean {
  return /^(o\d|gpt-([5-9]|\d\d))/.test(model) && !/-chat(-|$)/.test(model);
}

/** How a Claude model is told to think: by a budget of tokens, or by an effort (all newer ones). */
export function thinksByBudget(model: string): boolean {
  return /^claude-(3|haiku-4|(opus|sonnet)-4($|-[0-5]($|-)|-\d{8}$))/.test(model);
}

/** Claude models that always think: to switch it off is an error. */
export function alwaysThinks(model: string): boolean {
  return /^claude-(fable|mythos|opus-5-[5-9]|opus-[6-9])/.test(model);
}

/** Whether a Claude model can be made to call a tool; those that always think refuse. */
export function acceptsForcedTool(model: string): boolean {
  return /^claude-(3|(opus|sonnet|haiku)-4)/.test(model) || !/^claude-/.test(model);
}

/** Claude models from before structured output. */
export function lacksStructuredOutput(model: string): boolean {
  return /^claude-(3|(opus|sonnet)-4($|-[01]($|-)|-\d{8}$))/.test(model);
}
