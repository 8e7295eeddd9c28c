import { describe, expect, it } from 'vitest';
import { ownGroupFolders, taskGroupFolders } from '../../../src/tools/sandbox/task-group-folders.ts';
import { isCountedByNamespace } from '../../../src/tools/sandbox/task-limit.ts';

const V2 = '28 23 0:24 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate';
const PIDS = '39 31 0:36 / /sys/fs/cgroup/pids rw,relatime - cgroup cgroup rw,pids';
const MEMORY = '35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory';

describe('taskGroupFolders', () => {
  it('gives the own group and those around it, the nearest first, where there is one hierarchy', () => {
    expect(taskGroupFolders('0::/user.slice/user-7.slice/session-1.scope\n', `${V2}\n`)).toEqual([
      '/sys/fs/cgroup/user.slice/user-7.slice/session-1.scope',
      '/sys/fs/cgroup/user.slice/user-7.slice',
      '/sys/fs/cgroup/user.slice',
      '/sys/fs/cgroup',
    ]);
  });

  it('gives those that count processes first, where each controller has a hierarchy', () => {
    const groups = '8:pids:/jobs\n4:memory:/other\n0::/\n';
    const unified = '41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw';
    expect(taskGroupFolders(groups, [MEMORY, unified, PIDS].join('\n'))).toEqual([
      '/sys/fs/cgroup/pids/jobs',
      '/sys/fs/cgroup/pids',
      '/sys/fs/cgroup/unified',
    ]);
  });

  it('gives none where none that counts processes is mounted', () => {
    expect(taskGroupFolders('4:memory:/x\n', MEMORY)).toEqual([]);
    expect(taskGroupFolders('', '')).toEqual([]);
  });

  it.each([
    ['a container that sees its own part', '/docker/1/inner', '/docker/1', ['/m/inner', '/m']],
    ['a container whose own part is the top', '/docker/1', '/docker/1', ['/m']],
    ['a part that begins alike', '/docker/12', '/docker/1', ['/m']],
    ['a group outside of the namespace', '/../../other', '/', ['/m']],
    ['a name with colons', '/a:b', '/', ['/m/a:b', '/m']],
  ])('knows the place of %s', (_, own, root, folders) => {
    const mount = `1 2 0:3 ${root} /m rw - cgroup2 cgroup2 rw`;
    expect(taskGroupFolders(`0::${own}\n`, mount)).toEqual(folders);
  });

  it('reads spaces in the place of a mount', () => {
    expect(taskGroupFolders('0::/\n', '1 2 0:3 / /with\\040space rw - cgroup2 x rw')).toEqual([
      '/with space',
    ]);
  });
});

describe('ownGroupFolders', () => {
  it('gives the groups of this process alone, the newer kind first', () => {
    const unified = '41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw';
    const groups = '8:pids:/jobs/1\n4:memory:/other\n0::/user.slice/a.scope\n';
    expect(ownGroupFolders(groups, [PIDS, MEMORY, unified].join('\n'))).toEqual([
      '/sys/fs/cgroup/unified/user.slice/a.scope',
      '/sys/fs/cgroup/pids/jobs/1',
    ]);
    expect(ownGroupFolders('0::/user.slice/a.scope\n', V2)).toEqual(['/sys/fs/cgroup/user.slice/a.scope']);
    expect(ownGroupFolders('', '')).toEqual([]);
  });
});

it.each([
  ['4.19.0', false],
  ['5.13.19-generic', false],
  ['5.14.0', true],
  ['5.4.0', false],
  ['6.1.0-rc3', true],
  ['6.18.44-fc', true],
  ['10.0.0', true],
])('Linux %s counts processes by namespace: %s', (kernel, isCounted) => {
  expect(isCountedByNamespace(kernel)).toBe(isCounted);
});
