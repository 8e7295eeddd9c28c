/*
 * A process of its own for the fault tests: runs or resumes the run of a world, and may kill itself on the way. Its one
 * argument is JSON; see `ChildOrder`. Ends with `end <status>` on stdout, or with `locked <message>`.
 */
import { writeSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import type { FlightLog } from '../../src/contracts/ports.ts';
import { type Disk, realDisk } from '../../src/flight/disk.ts';
import type { FlightEvent } from '../../src/flight/events.ts';
import { FileRunStore } from '../../src/flight/file-store.ts';
import { OrchestratorError } from '../../src/kernel/errors.ts';
import type { ChildOrder, KillOrder } from './fault-order.ts';
import { goOn } from './fault-worlds.ts';

const order = JSON.parse(process.argv[2] ?? '') as ChildOrder;

function die(): void {
  process.kill(process.pid, 'SIGKILL');
}

/** Kills the process when the event of the order is appended, or its outcome. */
class KillingStore extends FileRunStore {
  readonly #kill: KillOrder | undefined;

  constructor(root: string, kill: KillOrder | undefined) {
    super(root, killingDisk(kill));
    this.#kill = kill;
  }

  override async create(...args: Parameters<FileRunStore['create']>): ReturnType<FileRunStore['create']> {
    const run = await super.create(...args);
    if (run.runId === order.runId) watchLog(run.log, this.#kill);
    return run;
  }

  override async open(...args: Parameters<FileRunStore['open']>): ReturnType<FileRunStore['open']> {
    const run = await super.open(...args);
    if (run.runId === order.runId) watchLog(run.log, this.#kill);
    return run;
  }
}

function watchLog(log: FlightLog<FlightEvent>, kill: KillOrder | undefined): void {
  const append = log.append.bind(log);
  let started: FlightEvent | null = null;
  log.append = (event) => {
    if (kill?.phase === 'before' && event.seq === kill.seq) die();
    if (kill?.phase === 'done') {
      if (event.seq === kill.seq) started = event;
      else if (started !== null && isOutcome(started, event)) die();
    }
    append(event);
    if (order.tells === true && event.seq === 0) writeSync(1, 'begun\n');
  };
  if (order.tells === true) writeSync(1, 'open\n');
}

function isOutcome(started: FlightEvent, event: FlightEvent): boolean {
  if (started.type === 'node.started') {
    return (event.type === 'node.done' || event.type === 'attempt.failed') && event.node === started.node;
  }
  if (started.type === 'call.started') {
    return (event.type === 'call.returned' || event.type === 'call.failed') && event.key === started.key;
  }
  return (
    started.type === 'model.requested' &&
    (event.type === 'model.answered' || event.type === 'model.failed') &&
    event.key === started.key
  );
}

/** Kills the process in the middle of the line of the event, or right after the write that holds it. */
function killingDisk(kill: KillOrder | undefined): Disk {
  if (kill === undefined || kill.phase === 'before' || kill.phase === 'done') return realDisk;
  return {
    ...realDisk,
    open: async (...args: Parameters<Disk['open']>) => {
      const handle = await realDisk.open(...args);
      return String(args[0]).endsWith(join(order.runId, 'flight.jsonl'))
        ? killingHandle(handle, kill)
        : handle;
    },
  };
}

function killingHandle(handle: FileHandle, { seq, phase }: KillOrder): FileHandle {
  const write = async (bytes: Buffer, offset: number, length: number, position: number): Promise<unknown> => {
    const at = bytes.indexOf(`{"v":1,"seq":${seq},`);
    if (at < 0) return handle.write(bytes, offset, length, position);
    const cut = phase === 'torn' ? at + Math.floor((bytes.indexOf('\n', at) - at) / 2) : length;
    await handle.write(bytes, offset, cut, position);
    await handle.sync();
    die();
    return new Promise(() => undefined);
  };
  return new Proxy(handle, {
    get(target, name) {
      if (name === 'write') return write;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}

try {
  const result = await goOn(order.world, order.folder, new KillingStore(order.root, order.kill), order.runId);
  writeSync(1, `end ${result.status}\n`);
  process.exit(0);
} catch (error) {
  if (!(error instanceof OrchestratorError)) throw error;
  writeSync(1, `${error.code === 'run_locked' ? 'locked' : 'failed'} ${error.code}: ${error.message}\n`);
  process.exit(1);
}
