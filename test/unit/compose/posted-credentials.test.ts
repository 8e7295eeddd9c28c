import { expect, it } from 'vitest';
import { orchestrate, resumeTask } from '../../../src/index.ts';
import { node } from '../../support/core.ts';
import { planned, sendTool } from '../../support/composed.ts';

it.each([
  ['of a provider', 'OPENAI_API_KEY'],
  ['of the search service', 'BRAVE_API_KEY'],
])('an answer that was posted holds no credential that a caller names: %s', async (_, variable) => {
  const { store, again, options } = planned([sendTool([])], [node('s', { tool: 'send', args: { to: 'x' } })]);
  const task = { ...options.task, web: { search: { kind: 'brave' as const } } };
  await orchestrate({ ...options, task });
  const asked = (await store.read('r1')).find(({ type }) => type === 'approval.requested');
  await store.post('r1', {
    ...{ id: 'posted', node: 's', question: asked?.seq ?? -1, decision: 'denied', by: 'ann' },
    reason: 'not zq81-a-key-of-it',
  });
  await resumeTask('r1', { ...again, env: { [variable]: 'zq81-a-key-of-it' } });
  const decided = (await store.read('r1')).find(({ type }) => type === 'approval.decided');
  expect(decided).toMatchObject({ decision: 'denied', reason: 'not [masked]' });
});
