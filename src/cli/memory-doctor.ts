import { existsSync } from 'node:fs';
import type { ChosenMemory } from '../compose/memory-admin.ts';
import { OrchestratorError } from '../kernel/errors.ts';
import { formatBytes } from '../views/format-amounts.ts';
import type { Arguments } from './command.ts';
import { countOf } from './count-of.ts';
import type { Finding } from './doctor-checks.ts';
import type { Io } from './io.ts';

/** Whether runs can remember: the file of memories opens, the model is whole, and it embeds. */
export async function checkMemory(task: string | undefined, args: Arguments, io: Io): Promise<Finding[]> {
  const { chooseMemory, readMemorySettings } = await import('../compose/memory-admin.ts');
  const runsFolder = args.text('runs-folder');
  const choice = {
    ...(task === undefined ? {} : { task }),
    ...(runsFolder === undefined ? {} : { runsFolder }),
    flags: {},
    env: io.env,
  };
  const findings: Finding[] = [];
  try {
    if (!(await readMemorySettings(choice)).memory.enabled)
      return [{ level: 'ok', what: 'memory is off (memory.enabled is false)' }];
    const memory = await chooseMemory(choice, (what) => {
      findings.push({
        level: 'warn',
        what,
        advice: 'sqlite3 may recover some of it (.recover); remove it when it is of no use.',
      });
    });
    try {
      findings.push(await checkStore(memory), await checkModel(memory), await checkEmbedder(memory));
    } finally {
      await memory.close();
    }
  } catch (error) {
    // What is wrong with the task file has been told where it was loaded.
    if (!(error instanceof OrchestratorError && error.code === 'task_invalid')) throw error;
  }
  return findings;
}

async function checkStore(memory: ChosenMemory): Promise<Finding> {
  const { path, scope, store } = memory;
  const { requireSqlite } = await import('../compose/memory-admin.ts');
  try {
    await requireSqlite(memory, { isWriting: true });
  } catch (error) {
    return toFinding('warn', 'runs remember nothing that lasts', error);
  }
  if (!existsSync(path)) {
    return { level: 'ok', what: `memory ${path} is not there yet (the first run makes it)` };
  }
  try {
    const { entries } = await store.stats(scope);
    return {
      level: 'ok',
      what: `memory ${path} opens: ${countOf(entries, 'memory', 'memories')} in scope ${JSON.stringify(scope)}`,
    };
  } catch (error) {
    return toFinding('fail', `memory ${path} does not open`, error);
  }
}

async function checkModel(memory: ChosenMemory): Promise<Finding> {
  const { verifyMemoryModel } = await import('../compose/memory-admin-model.ts');
  try {
    const { model, folder, bytes } = await verifyMemoryModel(memory);
    return {
      level: 'ok',
      what: `model ${model} is whole (${formatBytes(bytes)}, sizes and SHA-256 verified) in ${folder}`,
    };
  } catch (error) {
    const isMissing = error instanceof OrchestratorError && error.code === 'weights_missing';
    return toFinding(isMissing ? 'warn' : 'fail', 'model of the memory', error);
  }
}

async function checkEmbedder(memory: ChosenMemory): Promise<Finding> {
  const { tryEmbedder } = await import('../compose/memory-admin-model.ts');
  const search = 'searched exactly';
  try {
    const found = await tryEmbedder(memory);
    if (found === null) {
      return { level: 'ok', what: `memories are compared by shared words (memory.similarity), ${search}` };
    }
    const { library, dimensions } = found;
    const how = memory.memory.similarity === 'vectors' ? 'by meaning' : 'by meaning and shared words';
    return {
      level: 'ok',
      what: `memories are compared ${how} (${library}, ${dimensions} dimensions), ${search}`,
    };
  } catch (error) {
    return toFinding('warn', 'memories are compared by shared words (Jaccard)', error);
  }
}

function toFinding(level: Finding['level'], what: string, error: unknown): Finding {
  if (!(error instanceof OrchestratorError)) throw error;
  return { level, what: `${what}: ${error.message}`, advice: error.hint };
}
