/// <reference types="node" preserve="true" />
/* What tests of tasks, tools and of this package itself are written with. */
export { ManualClock } from './engine/manual-clock.ts';
export { createDeferred } from './providers/deferred.ts';
export type { Deferred } from './providers/deferred.ts';
export { ScriptedProvider } from './providers/scripted.ts';
export type { ScriptedCall, ScriptedReply, ScriptStep } from './providers/scripted.ts';
export { given, Scenario } from './testing/given.ts';
export type { Seed } from './testing/given.ts';
