/* What task authors write tools, mocks and checks with; user modules get it as `sortie`, together with compose. */
export { OrchestratorError, ToolError } from './kernel/errors.ts';
export { readSection, section } from './contracts/section.ts';
export { defineTool } from './tools/define-tool.ts';
export { Catalogue } from './tools/catalogue.ts';
export { builtinTools } from './tools/builtin/builtin-tools.ts';
export { defineMock } from './providers/mock.ts';
export { rateLimited } from './providers/rate-limit.ts';
