/** A duration for people: `8 ms`, `1.25 s`, `2 min 05 s`, `3 h 07 min`. */
export function formatDuration(ms: number): string {
  if (ms < 1) return ms <= 0 ? '0 ms' : '<1 ms';
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 59_995) return `${(ms / 1000).toFixed(2)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${twoDigits(seconds % 60)} s`;
  const minutes = Math.round(seconds / 60);
  return `${Math.floor(minutes / 60)} h ${twoDigits(minutes % 60)} min`;
}

/** A count for people: `12,345`. */
export function formatCount(count: number): string {
  return String(Math.round(count)).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** A score for people: without the noise of binary fractions. */
export function formatScore(score: number): string {
  return String(Number(score.toPrecision(12)));
}

/** A size for people: `812 B`, `4.2 kB`, `1.4 MB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 999.5) return `${Math.round(bytes)} B`;
  const units = ['kB', 'MB', 'GB', 'TB'];
  let [amount, unit] = [bytes / 1000, 0];
  while (amount >= 999.5 && unit < units.length - 1) [amount, unit] = [amount / 1000, unit + 1];
  return `${amount < 99.95 ? amount.toFixed(1) : Math.round(amount)} ${units[unit] ?? ''}`;
}

/** How long ago something was, for people: `just now`, `5 min ago`, `3 h ago`, `12 d ago`. */
export function formatAge(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 1) return 'just now';
  if (minutes < 60) return `${minutes} min ago`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ago` : `${formatCount(Math.floor(hours / 24))} d ago`;
}

/** An amount of money for people, from millionths of a US dollar: `$1.25`, `$0.0042`. */
export function formatCost(microUsd: number): string {
  if (microUsd === 0) return '$0';
  const dollars = microUsd / 1e6;
  return `$${dollars >= 1 ? dollars.toFixed(2) : dollars.toFixed(6).replace(/0{1,2}$/, '')}`;
}

/** A time for people, from epoch milliseconds: `2026-11-30 07:00:00 UTC`. */
export function formatTime(epochMs: number): string {
  return `${new Date(epochMs).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}
