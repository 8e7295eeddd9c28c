import { listProviders } from '../contracts/provider-chain.ts';
import { taskSchema } from '../contracts/task.ts';
import { RECORDED_PREFIX } from './load-providers.ts';
import { openMemory } from './memory.ts';
import type { Prepared } from './prepare.ts';
import type { FollowingMemory } from './run-memory.ts';
import type { DriveOptions } from './run-options.ts';
import { storeOf } from './stores.ts';

/**
 * The memory of a run, or null where it has none: one that was given, else that which its task names. Runs that are kept
 * in no folder have none by default. A run that answers from a record recalls from the record too.
 */
export async function chooseRunMemory(
  prepared: Prepared,
  options: DriveOptions,
): Promise<FollowingMemory | null> {
  // A recorded task may be older than some of these settings.
  const { similarity = likenessFor(prepared), ...others } = taskSchema.shape.memory.parse(
    prepared.task.memory,
  );
  const settings = { ...others, similarity };
  const { memory: given, store, runsFolder } = options;
  if (given === null || !settings.enabled) return null;
  const recorded = await openRecorded(prepared, options);
  if (recorded !== undefined) return recorded;
  const { RunMemory } = await import('./run-memory.ts');
  if (given !== undefined) {
    const { store: kept, embedder = null } = given;
    const close = (): Promise<void> => Promise.resolve();
    return new RunMemory({ path: '', scope: settings.scope, store: kept, embedder, close }, settings, []);
  }
  const isKeptInFolder = store === undefined && runsFolder !== null;
  if (!isKeptInFolder && settings.path === undefined) return null;
  const noticed: string[] = [];
  const opened = await openMemory({
    memory: settings,
    workspace: prepared.folder,
    ...(typeof runsFolder === 'string' ? { runsFolder } : {}),
    warn: (message) => noticed.push(message),
  });
  return new RunMemory(opened, settings, noticed);
}

/** What a stand-in reads is not worth loading a model for. */
function likenessFor({ providers }: Prepared): 'words' | 'fusion' {
  return [...providers.values()].every(({ isStandIn }) => isStandIn === true) ? 'words' : 'fusion';
}

/** Undefined where the task answers from no record. */
async function openRecorded(
  { task }: Prepared,
  options: DriveOptions,
): Promise<FollowingMemory | null | undefined> {
  const provider = listProviders(task).find(({ name }) => name.startsWith(RECORDED_PREFIX));
  if (provider === undefined) return undefined;
  const events = await storeOf(options).read(provider.name.slice(RECORDED_PREFIX.length));
  if (!events.some(({ type }) => type === 'memory.recalled')) return null;
  const { RecordedMemory } = await import('./recorded-memory.ts');
  return new RecordedMemory(events);
}
