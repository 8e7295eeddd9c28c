/** A run id that sorts by time: `20261130-071000-123-k3f9`, from epoch milliseconds and a draw in [0, 1). */
export function formatRunId(epochMs: number, draw: number): string {
  const { year, month, day, rest } = civilDate(Math.floor(epochMs));
  const hours = Math.floor(rest / 3_600_000);
  const minutes = Math.floor(rest / 60_000) % 60;
  const seconds = Math.floor(rest / 1000) % 60;
  const suffix = Math.floor(draw * 36 ** 4)
    .toString(36)
    .padStart(4, '0');
  return `${year}${pad(month)}${pad(day)}-${pad(hours)}${pad(minutes)}${pad(seconds)}-${pad(rest % 1000, 3)}-${suffix}`;
}

function pad(value: number, width = 2): string {
  return String(value).padStart(width, '0');
}

/** Calendar date of an epoch time in UTC (days-to-civil algorithm), so that the pure zone needs no Date. */
function civilDate(epochMs: number): { year: number; month: number; day: number; rest: number } {
  const days = Math.floor(epochMs / 86_400_000);
  const shifted = days + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra -
      Math.floor(dayOfEra / 1460) +
      Math.floor(dayOfEra / 36_524) -
      Math.floor(dayOfEra / 146_096)) /
      365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const monthIndex = Math.floor((5 * dayOfYear + 2) / 153);
  const day = dayOfYear - Math.floor((153 * monthIndex + 2) / 5) + 1;
  const month = monthIndex < 10 ? monthIndex + 3 : monthIndex - 9;
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0);
  return { year, month, day, rest: epochMs - days * 86_400_000 };
}
