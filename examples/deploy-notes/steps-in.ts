/** A step of a deployment as its text tells it. */
export interface DeploymentStep {
  readonly title: string;
  readonly commands: readonly string[];
}

/** The numbered steps below the heading of a Markdown text that is about deployment; sections below it are left out. */
export function stepsIn(markdown: string): DeploymentStep[] {
  const lines = deploymentLines(markdown);
  const items: string[][] = [];
  for (const line of lines) {
    const numbered = /^\d+[.)]\s+(.*)$/.exec(line);
    if (numbered !== null) items.push([numbered[1] ?? '']);
    else if (/^\S/.test(line)) continue;
    else items.at(-1)?.push(line.trim());
  }
  return items.map(readStep);
}

/** From the first heading that names a deployment, or a release, to the next heading of any level. */
function deploymentLines(markdown: string): string[] {
  const lines = markdown.split(/\r?\n/);
  const from = headingAfter(lines, 0, /\b(?:deploy\w*|releas\w*|roll\s?out)\b/i);
  return from < 0 ? [] : lines.slice(from + 1, endOf(lines, from + 1));
}

function headingAfter(lines: readonly string[], first: number, pattern: RegExp): number {
  let isFenced = false;
  for (let index = first; index < lines.length; index++) {
    const line = lines[index] ?? '';
    if (/^\s*```/.test(line)) isFenced = !isFenced;
    if (!isFenced && /^#{1,6}\s/.test(line) && pattern.test(line)) return index;
  }
  return -1;
}

function endOf(lines: readonly string[], first: number): number {
  const end = headingAfter(lines, first, /./);
  return end < 0 ? lines.length : end;
}

/** Commands are fenced, or else in code spans; the title is what is said before the first of them. */
function readStep(lines: readonly string[]): DeploymentStep {
  const fenced: string[] = [];
  const said: string[] = [];
  let isFenced = false;
  for (const line of lines) {
    if (line.startsWith('```')) isFenced = !isFenced;
    else if (isFenced) fenced.push(line);
    else said.push(line);
  }
  const text = said.join(' ').trim();
  const spans = [...text.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
  const commands = (fenced.length > 0 ? fenced : spans)
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const title = (text.split(/[:.](?:\s|$)/)[0] ?? '').replaceAll('`', '').trim();
  return { title: title === '' ? 'Step' : title, commands };
}
