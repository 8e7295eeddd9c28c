import { afterEach, describe, expect, it } from 'vitest';
import { orchestrate } from '../../../src/index.ts';
import { planned } from '../../support/composed.ts';
import { echoTool, node } from '../../support/core.ts';

describe('an onEvent that throws', () => {
  const listeners = process.listeners('uncaughtException');
  afterEach(() => {
    process.removeAllListeners('uncaughtException');
    for (const listener of listeners) process.on('uncaughtException', listener);
  });

  it.each(['run.started', 'catalogue.published', 'node.done', 'run.finished'])(
    'at %s leaves the run alone',
    async (at) => {
      const uncaught: unknown[] = [];
      process.removeAllListeners('uncaughtException');
      process.on('uncaughtException', (error) => uncaught.push(error));
      const defect = new Error('a defect of the observer');
      const { options } = planned([echoTool()], [node('a', { args: { value: 'the report' } })]);
      const result = await orchestrate({
        ...options,
        onEvent({ type }) {
          if (type === at) throw defect;
        },
      });
      expect(result.status).toBe('unverified');
      expect(uncaught).toEqual([defect]);
    },
  );
});
