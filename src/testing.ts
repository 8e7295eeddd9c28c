export { createDeferred } from './providers/deferred.ts';
export type { Deferred } from './providers/deferred.ts';
export { ScriptedProvider } from './providers/scripted.ts';
export type { ScriptedCall, ScriptedReply, ScriptStep } from './providers/scripted.ts';
