import type { ServerResponse } from 'node:http';
import type { ShownEvents } from './shown-events.ts';

const BATCH_MS = 60;
const BEAT_MS = 15_000;
const MOST_EVENTS = 2000;
/** A reader that lets so much lie is let go; it comes again and goes on from where it was. */
const MOST_WAITING_BYTES = 16 * 1024 * 1024;

/** Sends the events after a sequence as server-sent events, in batches, and those that come from then on. */
export function streamEvents(response: ServerResponse, shown: ShownEvents, afterSeq: number): void {
  const { feed } = shown;
  response.writeHead(200, {
    ...{ 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store' },
    ...{ 'x-content-type-options': 'nosniff', connection: 'keep-alive' },
  });
  response.write('retry: 1000\n\n');
  let nextSeq = afterSeq + 1;
  let timer: NodeJS.Timeout | null = null;
  const send = (): void => {
    timer = null;
    const batch = shown.from(nextSeq, MOST_EVENTS);
    if (batch.length > 0) {
      nextSeq += batch.length;
      response.write(`id: ${nextSeq - 1}\ndata: ${JSON.stringify(batch)}\n\n`);
    }
    if (response.writableLength > MOST_WAITING_BYTES) close();
    else if (nextSeq < feed.events.length) sendSoon();
    else if (feed.isEnded) end('end');
  };
  const sendSoon = (): void => {
    timer ??= setTimeout(send, BATCH_MS);
  };
  const end = (event: 'end' | 'reset'): void => {
    response.write(`event: ${event}\ndata: {}\n\n`);
    close();
  };
  const beat = setInterval(() => response.write(': still here\n\n'), BEAT_MS);
  const tellLeft = (isLeft: boolean): void => {
    response.write(`event: left\ndata: ${String(isLeft)}\n\n`);
  };
  const unlisten = feed.listen({
    ...{ onEvents: sendSoon, onReset: () => end('reset'), onEnd: sendSoon },
    onLeft: tellLeft,
  });
  const close = (): void => {
    if (timer !== null) clearTimeout(timer);
    clearInterval(beat);
    unlisten();
    response.end();
  };
  response.once('close', close);
  tellLeft(feed.isLeft);
  send();
}
