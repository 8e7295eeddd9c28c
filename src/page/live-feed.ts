import type { FlightEvent } from '../flight/events.ts';

/** Whether more may come, and from whom. */
export type FeedState = 'live' | 'reconnecting' | 'ended';

interface FeedListener {
  readonly onEvents: (events: readonly FlightEvent[]) => void;
  readonly onState: (state: FeedState) => void;
  /** Whether no process runs it any more. */
  readonly onLeft: (isLeft: boolean) => void;
}

/** Tells of the events of a run that come after a sequence, over losses of the connection. */
export function listenToFeed(
  base: string,
  afterSeq: number,
  { onEvents, onState, onLeft }: FeedListener,
): void {
  const source = new EventSource(`${base}/events?after=${afterSeq}`);
  let lastSeq = afterSeq;
  source.addEventListener('open', () => onState('live'));
  source.addEventListener('error', () =>
    onState(source.readyState === EventSource.CLOSED ? 'ended' : 'reconnecting'),
  );
  source.addEventListener('message', ({ data }) => {
    const events = (JSON.parse(data as string) as FlightEvent[]).filter(({ seq }) => seq > lastSeq);
    lastSeq = events.at(-1)?.seq ?? lastSeq;
    if (events.length > 0) onEvents(events);
  });
  source.addEventListener('left', ({ data }) => onLeft(data === 'true'));
  source.addEventListener('end', () => {
    source.close();
    onState('ended');
  });
  // The log is no longer what was shown: the page is made anew.
  source.addEventListener('reset', () => location.reload());
}
