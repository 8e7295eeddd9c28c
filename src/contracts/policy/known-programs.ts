/* What is known of programs: those that only look, with the options that make them do more, and why others are asked about. */

/** How a harmless program may be called. */
export interface HarmlessProgram {
  /** Long options (without `--`) and letters of short ones that make it write, run or reach something. */
  readonly long?: readonly string[];
  readonly short?: string;
  /** Its words are text, never files. */
  readonly takesText?: boolean;
  /** Most words that are no options. */
  readonly operands?: number;
  /** So many words that are no options, none of them a lone hyphen. */
  readonly exactly?: number;
  /** The shell may fill in names of files: none of its options does harm. */
  readonly mayGlob?: boolean;
  /** Its first words, one of which must be the first of the call. */
  readonly subcommands?: readonly string[];
  /** Options in the manner of `find`, whole words. */
  readonly words?: readonly string[];
}

const PLAIN: HarmlessProgram = { mayGlob: true };

/** Programs that only look at what lies in the workspace, by name. */
export const HARMLESS_PROGRAMS: ReadonlyMap<string, HarmlessProgram> = new Map<string, HarmlessProgram>([
  ...[
    'cat',
    'head',
    'nl',
    'tac',
    'rev',
    'fold',
    'expand',
    'unexpand',
    'paste',
    'join',
    'comm',
    'cut',
    'cmp',
  ].map((name) => [name, PLAIN] as const),
  ...['ls', 'basename', 'dirname', 'realpath', 'readlink', 'stat', 'df'].map(
    (name) => [name, PLAIN] as const,
  ),
  ...['md5sum', 'sha1sum', 'sha224sum', 'sha256sum', 'sha384sum', 'sha512sum', 'b2sum', 'cksum', 'sum'].map(
    (name) => [name, PLAIN] as const,
  ),
  ['wc', { mayGlob: false, long: ['files0-from'] }],
  ['du', { mayGlob: false, long: ['files0-from'] }],
  ['tail', { long: ['follow', 'retry', 'pid'], short: 'fF' }],
  ['echo', { takesText: true }],
  ['printf', { takesText: true, short: 'v' }],
  ['true', { takesText: true }],
  ['false', { takesText: true }],
  [':', { takesText: true }],
  ['cd', { exactly: 1 }],
  ['pwd', { operands: 0 }],
  ['whoami', { operands: 0 }],
  ['id', { operands: 0 }],
  ['groups', { operands: 0 }],
  ['uname', { operands: 0 }],
  ['arch', { operands: 0 }],
  ['nproc', { operands: 0 }],
  ['uptime', { operands: 0 }],
  ['date', { long: ['set', 'file', 'reference'], short: 'sfr' }],
  ['seq', { takesText: true, short: 'f' }],
  ['sleep', { takesText: true }],
  ['tr', { takesText: true }],
  // A shell runs what stands in the index of a variable.
  ['test', { words: ['-v', '-R'] }],
  ['[', { words: ['-v', '-R'] }],
  ['uniq', { operands: 1 }],
  ['diff', { long: ['to-file', 'from-file', 'paginate', 'exclude-from', 'ifdef'], short: 'lX' }],
  [
    'sort',
    {
      long: ['output', 'temporary-directory', 'compress-program', 'files0-from', 'random-source'],
      short: 'oT',
    },
  ],
  ['grep', { long: ['file', 'exclude-from'], short: 'f' }],
  ['egrep', { long: ['file', 'exclude-from'], short: 'f' }],
  ['fgrep', { long: ['file', 'exclude-from'], short: 'f' }],
  ['file', { long: ['compile', 'files-from', 'magic-file', 'uncompress', 'no-sandbox'], short: 'CfmzZS' }],
  [
    'find',
    {
      words: [
        ...['-exec', '-execdir', '-ok', '-okdir', '-delete', '-fprint', '-fprint0', '-fprintf', '-fls'],
        ...['-files0-from', '-follow', '-L', '-H'],
      ],
    },
  ],
  [
    'git',
    {
      subcommands: ['status', 'log', 'diff', 'show', 'rev-parse', 'ls-files'],
      long: [
        ...[
          'output',
          'ext-diff',
          'textconv',
          'no-index',
          'exec',
          'upload-pack',
          'receive-pack',
          'open-files-in-pager',
        ],
        ...[
          'git-dir',
          'work-tree',
          'config-env',
          'parseopt',
          'sq-quote',
          'exclude-from',
          'exclude-per-directory',
        ],
      ],
      short: 'OX',
    },
  ],
]);

const WHY: readonly (readonly [why: string, programs: string])[] = [
  [
    'deletes or overwrites',
    'rm rmdir unlink shred dd truncate wipefs mkfs fdisk parted mkswap tee cp mv ln install rsync patch sed ed ex',
  ],
  [
    'runs what it is given',
    'sh bash dash zsh ksh csh tcsh fish ash busybox eval exec source . python python2 python3 node deno bun perl ruby php lua tclsh awk gawk mawk nawk osascript pwsh powershell cmd wscript java gcc cc make expect gdb script vim vi nano emacs less more man',
  ],
  [
    'runs another program',
    'env xargs parallel nohup setsid timeout nice ionice chrt stdbuf time watch strace ltrace flock command builtin doas sudo su runuser chroot unshare nsenter at batch crontab systemd-run start-stop-daemon ssh trap alias',
  ],
  [
    'reaches the network',
    'curl wget nc ncat netcat socat telnet ftp sftp scp rsh dig nslookup host ping traceroute openssl aria2c lynx w3m',
  ],
  ['changes rights or owners', 'chmod chown chgrp setfacl chattr setcap usermod useradd passwd visudo umask'],
  [
    'ends or stops something',
    'kill pkill killall shutdown reboot halt poweroff init systemctl service launchctl fuser',
  ],
  [
    'installs or publishes',
    'apt apt-get yum dnf apk pacman brew snap pip pip3 pipx npm npx yarn pnpm cargo gem go docker podman kubectl helm terraform aws gcloud az gh',
  ],
  [
    'changes the shell or shows its surroundings',
    'export set unset declare typeset local readonly printenv shopt hash enable ulimit history fc',
  ],
  [
    'decodes or unpacks',
    'base64 base32 xxd od hexdump uudecode openssl tar unzip zip gzip gunzip 7z cpio ar',
  ],
  [
    'mounts or changes the system',
    'mount umount sysctl modprobe insmod iptables nft ip ifconfig route hostname hostnamectl timedatectl losetup swapoff',
  ],
];

const WHY_OF = new Map(
  WHY.flatMap(([why, programs]) => programs.split(' ').map((name) => [name, why] as const)),
);

/** Whether a program, named without its folder, takes words of its call as code, or keeps them for later. */
export function runsItsWords(name: string): boolean {
  return WHY_OF.get(name) === 'runs what it is given' || TAKES_LINES.has(name);
}

/** Whether a program, named without its folder, runs the program that its words name. */
export function runsPrograms(name: string): boolean {
  return WHY_OF.get(name) === 'runs another program' || ['busybox', 'exec', 'eval'].includes(name);
}

/** They run another program, and hand a line to a shell. */
const TAKES_LINES = new Set(
  'env parallel watch flock su runuser ssh trap alias at batch crontab systemd-run'.split(' '),
);

/** Why a program that is not harmless is asked about. */
export function whyAskAbout(program: string): string {
  const name = program.slice(program.lastIndexOf('/') + 1);
  const why = WHY_OF.get(name.toLowerCase()) ?? (/^mkfs\b/.test(name) ? 'deletes or overwrites' : undefined);
  if (why !== undefined) return `${name} ${why}`;
  return `${JSON.stringify(program)} is not known to be harmless`;
}
