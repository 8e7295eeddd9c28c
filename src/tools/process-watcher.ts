import { type ChildProcess, spawn } from 'node:child_process';
import { readGroups, TASK_OWNER } from './control-groups.ts';
import { MARK_VARIABLE } from './process-table.ts';
import { taskGroupFolders } from './sandbox/task-group-folders.ts';

/**
 * Reads `+ group`, `- group`, and `.` where what follows is no crash; at the end of its input it kills every group that is
 * left, what is in the control groups of this watcher's (after a crash, in those that bound tasks too), and every process
 * that carries a mark of this watcher's, until there is none or it has tried often enough.
 */
const SCRIPT = `
trap '' INT TERM HUP QUIT
token=$1 tasks=$2
shift 2
groups=' '
while read -r change group; do
  case "$change$groups" in
    .*) tasks=$token ;;
    +*" $group "*) ;;
    +*) groups="$groups$group " ;;
    -*" $group "*) groups="\${groups%% $group *} \${groups#* $group }" ;;
  esac
done
case $groups in *[0-9]*) ;; *) exit 0 ;; esac
for round in 1 2 3 4 5; do
  for group in $groups; do kill -KILL "-$group"; done
  held=
  for folder do
    for control in "$folder"/sortie-*-"$token"-* "$folder"/sortie-*-"$tasks"-*; do
      [ -d "$control" ] || continue
      echo 1 >"$control/cgroup.kill" || kill -KILL $(find "$control" -name cgroup.procs -exec cat {} +)
      find "$control" -depth -type d -exec rmdir {} +
      [ ! -d "$control" ] || held=1
    done
  done
  marked=$(grep -lsazE -- "^${MARK_VARIABLE}=(.* )?$token\\.[0-9]+( |$)" /proc/[0-9]*/environ)
  [ -n "$marked$held" ] || exit 0
  [ -n "$marked" ] || sleep 1
  for file in $marked; do
    file=\${file#/proc/}
    kill -KILL "\${file%/environ}"
  done
done
`;

/** A process of its own that outlives this one for the moment that it takes to end what this one has left behind. */
export class ProcessWatcher {
  readonly #token: string;
  readonly #groups = new Set<number>();
  #process: ChildProcess | null = null;

  /** `token` is what the marks of its processes begin with, before a dot and a number. */
  constructor(token: string) {
    this.#token = token;
  }

  /** Has a group ended with this process; resolves when that is certain, even if this process is killed at once. */
  async add(group: number): Promise<void> {
    this.#groups.add(group);
    if (this.#process === null) await this.#start();
    else await this.#tell(`+ ${group}`);
  }

  /** Forgets a group that is gone: its number may be given to another. */
  remove(group: number): void {
    this.#groups.delete(group);
    void this.#tell(`- ${group}`);
  }

  /** Ends the watcher, and with it whatever it still knows. */
  close(): void {
    this.#process?.stdin?.end('.\n');
    this.#process = null;
  }

  /** Neither a Ctrl-C at the terminal nor a signal to the group of this process reaches it. */
  async #start(): Promise<void> {
    const folders = taskGroupFolders(...readGroups());
    const watcher = spawn('/bin/sh', ['-c', SCRIPT, 'watcher', this.#token, TASK_OWNER, ...folders], {
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    this.#process = watcher;
    const forget = (): void => {
      if (this.#process === watcher) this.#process = null;
    };
    watcher.once('error', forget);
    // Somebody killed it: the next group starts another, which is told of all.
    watcher.once('exit', forget);
    watcher.stdin.on('error', () => undefined);
    watcher.unref();
    (watcher.stdin as unknown as { unref?: () => void }).unref?.();
    for (const group of this.#groups) await this.#tell(`+ ${group}`);
  }

  #tell(line: string): Promise<void> {
    return new Promise((resolve) => {
      const stdin = this.#process?.stdin;
      if (stdin === undefined || stdin === null) resolve();
      else stdin.write(`${line}\n`, () => resolve());
    });
  }
}
