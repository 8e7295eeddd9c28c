/* Where the techniques of injection are described in public. The wordings of the tests are their own. */

/** The public description of a technique. */
export const SOURCES = {
  owaspSheet:
    'https://cheatsheetseries.owasp.org/cheatsheets/LLM_Prompt_Injection_Prevention_Cheat_Sheet.html',
  owaspRisk: 'https://genai.owasp.org/llmrisk/llm01-prompt-injection/',
  promptInject: 'https://arxiv.org/abs/2211.09527',
  indirect: 'https://arxiv.org/abs/2302.12173',
  formalized: 'https://arxiv.org/abs/2310.12815',
  agentDojo: 'https://arxiv.org/abs/2406.13352',
  injecAgent: 'https://arxiv.org/abs/2403.02691',
  agentSecurityBench: 'https://arxiv.org/abs/2410.02644',
  toolPoisoning: 'https://invariantlabs.ai/blog/mcp-security-notification-tool-poisoning-attacks',
  unicodeTags: 'https://embracethered.com/blog/posts/2024/hiding-and-finding-text-with-unicode-tags/',
  ansi: 'https://embracethered.com/blog/posts/2024/terminal-dillmas-prompt-injection-ansi-sequences/',
  trojanSource: 'https://arxiv.org/abs/2111.00169',
  emoji: 'https://paulbutler.org/2025/smuggling-arbitrary-data-through-an-emoji/',
  policyPuppetry: 'https://hiddenlayer.com/innovation-hub/novel-universal-bypass-for-all-major-llms/',
  manyShot: 'https://www.anthropic.com/research/many-shot-jailbreaking',
  crescendo: 'https://arxiv.org/abs/2404.01833',
  garak: 'https://github.com/NVIDIA/garak',
  jailbroken: 'https://arxiv.org/abs/2307.02483',
  cipherChat: 'https://arxiv.org/abs/2308.06463',
  artPrompt: 'https://arxiv.org/abs/2402.11753',
  lowResource: 'https://arxiv.org/abs/2310.02446',
  programmatic: 'https://arxiv.org/abs/2302.05733',
  suffix: 'https://arxiv.org/abs/2307.15043',
  neuralExec: 'https://arxiv.org/abs/2403.03792',
  worm: 'https://arxiv.org/abs/2403.02817',
  promptInfection: 'https://arxiv.org/abs/2410.07283',
  struq: 'https://arxiv.org/abs/2402.06363',
  bestOfN: 'https://arxiv.org/abs/2412.03556',
  delimiters: 'https://simonwillison.net/2023/May/11/delimiters-wont-save-you/',
  persuasion: 'https://arxiv.org/abs/2401.06373',
  personas: 'https://arxiv.org/abs/2308.03825',
  inception: 'https://arxiv.org/abs/2311.03191',
  chatTemplate: 'https://arxiv.org/abs/2406.12935',
  poisonedRag: 'https://arxiv.org/abs/2402.07867',
  memoryInjection: 'https://arxiv.org/abs/2503.03704',
  judge: 'https://arxiv.org/abs/2403.17710',
  environment: 'https://arxiv.org/abs/2409.11295',
  hiddenText: 'https://kai-greshake.de/posts/inject-my-pdf/',
  learnPrompting: 'https://learnprompting.org/docs/prompt_hacking/offensive_measures/introduction',
} as const;

/** A technique: what it is called, where it is described, and how it wraps what the attacker wants. */
export type Technique = readonly [
  name: string,
  source: keyof typeof SOURCES,
  wrap: (demand: string) => string,
];
