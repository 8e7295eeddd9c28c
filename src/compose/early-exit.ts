import { OrchestratorError } from '../kernel/errors.ts';
import { findPosition } from '../tools/module-error.ts';
import { modulesUnderWay } from '../tools/modules-under-way.ts';

/** Where in a user's file the process is being ended from, when asked while it ends; null where that is not known. */
export function findExitCall(): string | null {
  // Loaded code may have changed what a stack is.
  Reflect.set(Error, 'prepareStackTrace', undefined);
  Reflect.set(Error, 'stackTraceLimit', 100);
  return findPosition(new Error()) ?? null;
}

/**
 * What is wrong with the modules that are being loaded while the process ends, by a call of process.exit or because
 * nothing is left that could wake it (`isDrained`); null where none is being loaded.
 */
export function moduleExitError(isDrained: boolean): OrchestratorError | null {
  const modules = modulesUnderWay();
  const [file] = modules;
  if (file === undefined) return null;
  const names = modules.join(', ');
  if (isDrained) {
    return new OrchestratorError('module_failed', `${names}: never settles: nothing is left to wait for`, {
      details: { file },
      hint: 'What a module awaits at its top has to come to an end.',
    });
  }
  const position = findExitCall();
  const isItself = position === null || modules.some((module) => position.startsWith(`${module}:`));
  return new OrchestratorError(
    'module_failed',
    `${position ?? names}: called process.exit while ${isItself ? 'it' : names} was loaded`,
    { details: { file }, hint: 'A module that cannot be used throws an error that says why.' },
  );
}

/** What an interrupt says that ends the process while modules are being loaded; null where none is. */
export function moduleInterruptedError(): OrchestratorError | null {
  const modules = modulesUnderWay();
  const [file] = modules;
  if (file === undefined) return null;
  return new OrchestratorError('aborted', `interrupted while ${modules.join(', ')} was loaded`, {
    details: { file },
    hint: 'Nothing was begun; the same command starts over.',
  });
}
