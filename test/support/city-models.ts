import mock from '../../examples/city-compare/mock.ts';
import { readSection } from '../../src/contracts/section.ts';
import type { Scenario } from './model-server/model-server.ts';
import type { WireRequest } from './model-server/wire.ts';

/** What models that are up to the example answer over the wire: the example's mock, each role known by what it is shown. */
export async function answerAsCityModels({ messages }: WireRequest): Promise<Scenario> {
  const role = roleOf(messages);
  const request = { role, model: '', messages, maxOutputTokens: 4096 };
  const { text } = await mock.complete(request, { key: role, signal: new AbortController().signal });
  return { reply: { text } };
}

function roleOf(messages: WireRequest['messages']): string {
  const shows = (name: string): boolean => readSection({ messages }, name) !== undefined;
  if (shows('catalogue')) return shows('failures') ? 'replanner' : 'planner';
  if (shows('report')) return 'critic';
  return shows('cities') ? 'aggregator' : 'summarizer';
}
