/**
 * A line of the table. `isMet` is undefined for what is printed beside the figures without a target.
 * @typedef {{ figure: string, measured: string, target?: string, isMet?: boolean }} Row
 */

/**
 * A number with three significant digits, in words that a reader can compare.
 * @param {number} value
 */
export function formatNumber(value) {
  if (!Number.isFinite(value)) return String(value);
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/**
 * A row with an upper bound.
 * @param {string} figure
 * @param {number} value
 * @param {number} bound
 * @param {{ unit: string, detail?: string }} words the unit comes after both numbers
 * @returns {Row}
 */
export function boundedRow(figure, value, bound, { unit, detail }) {
  return {
    figure,
    measured: `${formatNumber(value)}${unit}${detail === undefined ? '' : ` (${detail})`}`,
    target: `≤ ${String(bound)}${unit}`,
    isMet: value <= bound,
  };
}

/**
 * The rows as a Markdown table.
 * @param {readonly Row[]} rows
 */
export function formatTable(rows) {
  const cells = [
    ['figure', 'measured', 'target', ''],
    ...rows.map(({ figure, measured, target = '', isMet }) => [
      figure,
      measured,
      target,
      isMet === undefined ? '' : isMet ? 'ok' : 'over',
    ]),
  ];
  const widths = [0, 1, 2, 3].map((column) => Math.max(3, ...cells.map((row) => row[column]?.length ?? 0)));
  const lines = cells.map((row) => `| ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`);
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`;
  return [lines[0], rule, ...lines.slice(1)].join('\n');
}
