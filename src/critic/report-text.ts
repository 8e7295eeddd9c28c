import type { Json } from '../kernel/json.ts';

/** The report as people read it: a text as it is, nothing for null, any other value as indented JSON. */
export function reportText(report: Json): string {
  if (report === null) return '';
  return typeof report === 'string' ? report : JSON.stringify(report, null, 2);
}
