import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Json } from '../../../src/kernel/json.ts';
import { builtinTools } from '../../../src/tools/builtin/builtin-tools.ts';
import type { BuiltinToolName } from '../../../src/tools/builtin/names.ts';
import { callTool } from '../../../src/tools/call-tool.ts';
import { createOutsideWorld, type OutsideWorld, SECRET } from '../../support/outside-world.ts';
import { createToolContext } from '../../support/tool-context.ts';

/** How `read_file` refuses: as leading out, as written ambiguously, or because a file of that very name is not there. */
type Refusal = 'policy_denied' | 'tool_misuse' | 'missing_info' | 'tool_failed';

/** Known ways out of a folder, one row a kind; `{root}` is the folder around the workspace `{root}/work`. */
const BYPASSES: readonly (readonly [kind: string, path: string, refusal: Refusal])[] = [
  // Dots.
  ['parent', '../secret.txt', 'policy_denied'],
  ['down and up twice', 'sub/../../secret.txt', 'policy_denied'],
  ['dot before parent', './../secret.txt', 'policy_denied'],
  ['dots between', 'sub/./.././../secret.txt', 'policy_denied'],
  ['doubled slashes', 'sub//..//..//secret.txt', 'policy_denied'],
  ['a folder that begins like the workspace', '../work-beside/secret.txt', 'policy_denied'],
  ['out, in and out again', '../work/../secret.txt', 'policy_denied'],
  ['the parent itself', '..', 'policy_denied'],
  ['the parent with a slash', '../', 'policy_denied'],
  ['the parent at the end', 'sub/../..', 'policy_denied'],
  ['up through a folder that is not there', 'not-there/../../secret.txt', 'policy_denied'],
  ['up through a file', 'note.txt/../../secret.txt', 'policy_denied'],
  ['more parents than there are folders', `${'../'.repeat(60)}etc/passwd`, 'policy_denied'],
  ['four dots, for filters that cut ../', '....//secret.txt', 'tool_misuse'],
  ['dots around a filtered part', '..././secret.txt', 'tool_misuse'],
  ['three dots', '.../secret.txt', 'tool_misuse'],
  ['other case', '../SECRET.TXT', 'policy_denied'],
  ['a pattern for a shell', '../*.txt', 'policy_denied'],
  // Absolute paths.
  ['absolute', '/etc/passwd', 'policy_denied'],
  ['absolute with a dot', '/./etc/passwd', 'policy_denied'],
  ['absolute with a parent', '/etc/../etc/passwd', 'policy_denied'],
  ['parent of the root', '/../etc/passwd', 'policy_denied'],
  ['two slashes', '//etc/passwd', 'tool_misuse'],
  ['three slashes', '///etc/passwd', 'tool_misuse'],
  ['the secret by its whole path', '{root}/secret.txt', 'policy_denied'],
  ['the workspace and up', '{root}/work/../secret.txt', 'policy_denied'],
  ['the workspace, two slashes and up', '{root}/work//../secret.txt', 'policy_denied'],
  ['the workspace as a prefix of a name', '{root}/work-beside/secret.txt', 'policy_denied'],
  ['the folder around the workspace', '{root}', 'policy_denied'],
  ['the root of the system', '/', 'policy_denied'],
  // Names of the system for other places.
  ['environment of the process', '/proc/self/environ', 'policy_denied'],
  ['root of the process', '/proc/self/root/etc/passwd', 'policy_denied'],
  ['root of the process, back into the workspace', '/proc/self/root{root}/work/note.txt', 'policy_denied'],
  ['working folder of the process', '/proc/self/cwd/package.json', 'policy_denied'],
  ['working folder of the thread', '/proc/thread-self/cwd/package.json', 'policy_denied'],
  ['open file of the process', '/proc/self/fd/0', 'policy_denied'],
  ['memory of the process', '/proc/self/mem', 'policy_denied'],
  ['another process', '/proc/1/environ', 'policy_denied'],
  ['standard input', '/dev/stdin', 'policy_denied'],
  ['open file as a device', '/dev/fd/0', 'policy_denied'],
  ['device without an end', '/dev/zero', 'policy_denied'],
  ['terminal', '/dev/tty', 'policy_denied'],
  ['kernel', '/sys/kernel/notes', 'policy_denied'],
  ['up into proc', `${'../'.repeat(60)}proc/self/environ`, 'policy_denied'],
  // Addresses instead of paths.
  ['file address', 'file:///etc/passwd', 'tool_misuse'],
  ['file address with a host', 'file://localhost/etc/passwd', 'tool_misuse'],
  ['file address without slashes', 'file:/etc/passwd', 'missing_info'],
  ['stream wrapper', 'php://filter/resource=../secret.txt', 'tool_misuse'],
  ['archive address', 'jar:file:///etc/passwd!/x', 'missing_info'],
  ['data address', 'data:text/plain;base64,Li4vc2VjcmV0LnR4dA==', 'missing_info'],
  ['web address', 'http://127.0.0.1/secret.txt', 'tool_misuse'],
  // Encodings that something further on may undo; here they are names.
  ['percent dots', '%2e%2e/secret.txt', 'missing_info'],
  ['percent slash', '..%2fsecret.txt', 'missing_info'],
  ['percent dots and slash', '%2e%2e%2fsecret.txt', 'missing_info'],
  ['percent twice', '%252e%252e%252fsecret.txt', 'missing_info'],
  ['percent backslash', '..%5csecret.txt', 'missing_info'],
  ['overlong slash', '..%c0%afsecret.txt', 'missing_info'],
  ['overlong dots', '%c0%ae%c0%ae/secret.txt', 'missing_info'],
  ['percent u', '..%u2215secret.txt', 'missing_info'],
  ['percent NUL', '../secret.txt%00note.txt', 'policy_denied'],
  ['entities of HTML', '&#46;&#46;&#47;secret.txt', 'missing_info'],
  ['path parameter', '..;/secret.txt', 'missing_info'],
  ['escapes of a string', '\\u002e\\u002e/secret.txt', 'tool_misuse'],
  ['utf-7', '+AC4-+AC4-+AC8-secret.txt', 'missing_info'],
  // Backslashes and drives.
  ['backslash', '..\\secret.txt', 'tool_misuse'],
  ['backslashes', 'sub\\..\\..\\secret.txt', 'tool_misuse'],
  ['backslash and slash', '..\\/secret.txt', 'tool_misuse'],
  ['drive with backslash', 'C:\\Windows\\win.ini', 'tool_misuse'],
  ['drive with slash', 'C:/Windows/win.ini', 'tool_misuse'],
  ['drive without slash', 'c:secret.txt', 'tool_misuse'],
  ['share', '\\\\server\\share\\secret.txt', 'tool_misuse'],
  ['share with slashes', '//server/share/secret.txt', 'tool_misuse'],
  ['device path', '\\\\.\\PhysicalDrive0', 'tool_misuse'],
  ['verbatim path', '\\\\?\\C:\\secret.txt', 'tool_misuse'],
  // Characters that end or move the text.
  ['NUL before an ending', 'note.txt\0.png', 'tool_misuse'],
  ['NUL behind the way out', '../secret.txt\0note.txt', 'tool_misuse'],
  ['line break', 'note.txt\n../secret.txt', 'tool_misuse'],
  ['carriage return', 'note.txt\r../secret.txt', 'tool_misuse'],
  ['tab between dots', '.\t./secret.txt', 'tool_misuse'],
  ['backspace', 'x\b../secret.txt', 'tool_misuse'],
  ['escape sequence of a terminal', '\u001b[2K../secret.txt', 'tool_misuse'],
  ['delete', '..\u007f/secret.txt', 'tool_misuse'],
  ['control of the upper half', '..\u0085/secret.txt', 'tool_misuse'],
  // Characters that look like dots and slashes, or become them when they are normalised.
  ['wide dots and slash', '\uff0e\uff0e\uff0fsecret.txt', 'tool_misuse'],
  ['wide dots', '\uff0e\uff0e/secret.txt', 'tool_misuse'],
  ['one wide dot', '.\uff0e/secret.txt', 'tool_misuse'],
  ['two dot leader', '\u2025/secret.txt', 'tool_misuse'],
  ['one dot leaders', '\u2024\u2024/secret.txt', 'tool_misuse'],
  ['small dots', '\ufe52\ufe52/secret.txt', 'tool_misuse'],
  ['ellipsis', '\u2026/secret.txt', 'tool_misuse'],
  ['wide slash', '..\uff0fsecret.txt', 'tool_misuse'],
  ['division slash', '..\u2215secret.txt', 'tool_misuse'],
  ['fraction slash', '..\u2044secret.txt', 'tool_misuse'],
  ['big solidus', '..\u29f8secret.txt', 'tool_misuse'],
  ['diagonal of a box', '..\u2571secret.txt', 'tool_misuse'],
  ['wide backslash', '..\uff3csecret.txt', 'tool_misuse'],
  ['small backslash', '..\ufe68secret.txt', 'tool_misuse'],
  ['set minus', '..\u2216secret.txt', 'tool_misuse'],
  ['reverse solidus operator', '..\u29f5secret.txt', 'tool_misuse'],
  ['a character that becomes one with a slash', '\u2100', 'tool_misuse'],
  // Characters that are not seen.
  ['zero width space', '..\u200b/secret.txt', 'tool_misuse'],
  ['word joiner', '.\u2060./secret.txt', 'tool_misuse'],
  ['byte order mark', '\ufeff../secret.txt', 'tool_misuse'],
  ['soft hyphen', '.\u00ad./secret.txt', 'tool_misuse'],
  ['turned around', '\u202etxt.terces/..', 'tool_misuse'],
  ['isolated direction', '\u2066../secret.txt\u2069', 'tool_misuse'],
  ['line separator', 'note.txt\u2028../secret.txt', 'tool_misuse'],
  ['tag character', '..\u{e0041}/secret.txt', 'tool_misuse'],
  ['filler', '..\u3164/secret.txt', 'tool_misuse'],
  ['half a character', '..\ud800/secret.txt', 'tool_misuse'],
  // What Windows leaves out or adds.
  ['dot at the end', 'note.txt.', 'tool_misuse'],
  ['space at the end', 'note.txt ', 'tool_misuse'],
  ['parent and a space', '.. /secret.txt', 'tool_misuse'],
  ['parent and a wide space', '..\u3000/secret.txt', 'tool_misuse'],
  ['dots with a space', '. ./secret.txt', 'tool_misuse'],
  ['stream of the data', 'note.txt::$DATA', 'tool_misuse'],
  ['hidden stream', 'note.txt:hidden:$DATA', 'tool_misuse'],
  ['index of a folder', 'sub:$I30:$INDEX_ALLOCATION', 'tool_misuse'],
  ['device', 'CON', 'tool_misuse'],
  ['device with an ending', 'aux.txt', 'tool_misuse'],
  ['device in a folder', 'sub/nul', 'tool_misuse'],
  ['port', 'COM1.log', 'tool_misuse'],
  ['port with a raised number', 'LPT\u00b9', 'tool_misuse'],
  ['wide device', '\uff23\uff2f\uff2e', 'tool_misuse'],
  ['console', 'CONIN$', 'tool_misuse'],
  ['short name', 'SECRET~1.TXT', 'missing_info'],
  // What a shell would look up.
  ['home', '~/secret.txt', 'tool_misuse'],
  ['home alone', '~', 'tool_misuse'],
  ['home of another', '~root/secret.txt', 'missing_info'],
  ['variable', '$HOME/secret.txt', 'missing_info'],
  ['variable of Windows', '%USERPROFILE%/secret.txt', 'missing_info'],
  ['command', '$(cat ../secret.txt)', 'tool_misuse'],
  ['quotes', '"../secret.txt"', 'tool_misuse'],
  ['option', '--files-from=secret.txt', 'missing_info'],
  // Links.
  ['link to a file', 'link-relative', 'policy_denied'],
  ['absolute link to a file', 'link-absolute', 'policy_denied'],
  ['link to a folder', 'link-folder/secret.txt', 'policy_denied'],
  ['absolute link to a folder', 'link-folder-absolute/folder/secret.txt', 'policy_denied'],
  ['link to a folder, with a slash', 'link-folder-slash/secret.txt', 'policy_denied'],
  ['link to the parent', 'link-parent/secret.txt', 'policy_denied'],
  ['link out and back in', 'link-parent/work/note.txt', 'policy_denied'],
  ['link to the root', 'link-root/etc/passwd', 'policy_denied'],
  ['link to the root of the process', 'link-proc-root/etc/passwd', 'policy_denied'],
  ['link to the working folder', 'link-proc-cwd/package.json', 'policy_denied'],
  ['link to a link to a link', 'link-chain', 'policy_denied'],
  ['link further down', 'sub/link-up-twice', 'policy_denied'],
  ['links in a circle', 'link-loop', 'tool_failed'],
  ['link to itself', 'link-self', 'tool_failed'],
  ['link to what is not there', 'link-dangling', 'policy_denied'],
  ['link to a folder that is not there', 'link-dangling-folder/new.txt', 'policy_denied'],
  ['link by way of the workspace', 'link-through-name', 'policy_denied'],
  ['link to a name that begins like the workspace', 'link-beside', 'policy_denied'],
  ['link in and out', 'link-inside-then-out', 'policy_denied'],
  ['link through a file', 'link-through-file', 'missing_info'],
  ['link with many parents', 'link-many-up', 'policy_denied'],
  ['link with dots', 'link-dots', 'policy_denied'],
  ['link with doubled slashes', 'link-double-slash', 'policy_denied'],
  ['link and then up', 'link-folder/../secret.txt', 'missing_info'],
  // What is no file, and what is too long.
  ['pipe', 'pipe', 'tool_misuse'],
  ['folder', 'sub', 'tool_misuse'],
  ['the workspace itself', '.', 'tool_misuse'],
  ['long name', 'x'.repeat(256), 'tool_misuse'],
  ['long path', 'x/'.repeat(2100), 'tool_misuse'],
  ['deep path', `${'x/'.repeat(65)}x`, 'tool_misuse'],
];

let world: OutsideWorld;

beforeEach(() => {
  world = createOutsideWorld();
});

afterEach(() => world.remove());

async function call(name: BuiltinToolName, args: Json): Promise<Json> {
  const [tool] = await builtinTools([name]);
  return callTool(tool!, args, createToolContext({ workspace: world.workspace }));
}

it('has a hundred kinds and more, none of them twice', () => {
  expect(new Set(BYPASSES.map(([kind]) => kind)).size).toBe(BYPASSES.length);
  expect(new Set(BYPASSES.map(([, path]) => path)).size).toBe(BYPASSES.length);
  expect(BYPASSES.length).toBeGreaterThanOrEqual(100);
});

describe.each(BYPASSES)('%s: %j', (_kind, template, refusal) => {
  const path = (): string => template.replaceAll('{root}', world.root);

  it(`is refused by read_file as ${refusal}`, async () => {
    await expect(call('read_file', { path: path() })).rejects.toMatchObject({ code: refusal });
  });

  it('leads no tool out of the workspace', async () => {
    const before = world.snapshot();
    const calls: readonly (readonly [BuiltinToolName, Json])[] = [
      ['list_files', { path: path(), recursive: true }],
      ['search_files', { path: path(), query: 'secret that' }],
      ['append_file', { path: path(), content: 'added' }],
      ['write_file', { path: path(), content: 'written' }],
      ['delete_file', { path: path() }],
    ];
    for (const [name, args] of calls) {
      const settled = await call(name, args).catch((error: unknown) => error);
      if (settled instanceof Error) expect(settled).toHaveProperty('code', expect.any(String));
      // A hard link is a file of the workspace: what it holds may be read.
      else
        expect(JSON.stringify(settled).replaceAll(/\{"path":"hard-link.txt"[^}]*\}/g, '')).not.toContain(
          SECRET,
        );
      expect(world.snapshot(), name).toBe(before);
    }
  });
});

describe('a file with a second name outside', () => {
  it('is not added to', async () => {
    await expect(call('append_file', { path: 'hard-link.txt', content: 'x' })).rejects.toMatchObject({
      code: 'policy_denied',
    });
  });

  it('is parted from it by being written anew', async () => {
    const before = world.snapshot();
    await call('write_file', { path: 'hard-link.txt', content: 'new' });
    expect(readFileSync(join(world.workspace, 'hard-link.txt'), 'utf8')).toBe('new');
    expect(world.snapshot()).toBe(before);
  });
});

describe('what git and the runs keep', () => {
  it.each([
    '.git/hooks/pre-commit',
    '.GIT/config',
    '.Git/new/file',
    'sub/.git/config',
    'sub/../.git/config',
    '\uff0egit/config',
    '.g\u200cit/config',
    'link-to-git/hooks/pre-commit',
    'link-to-git/new/file',
    '.orchestrate/runs/1/flight.jsonl',
    '.Orchestrate/x',
    '.git',
  ])('is not written as %j', async (path) => {
    mkdirSync(join(world.workspace, '.orchestrate', 'runs', '1'), { recursive: true });
    writeFileSync(join(world.workspace, '.orchestrate', 'runs', '1', 'flight.jsonl'), 'log');
    for (const name of ['write_file', 'append_file', 'delete_file'] as const) {
      const args = name === 'delete_file' ? { path } : { path, content: 'x' };
      await expect(call(name, args)).rejects.toMatchObject({
        code: expect.stringMatching(/^(?:policy_denied|missing_info)$/) as unknown,
      });
    }
    expect(readFileSync(join(world.workspace, '.git', 'config'), 'utf8')).toBe('config of git');
  });
});
