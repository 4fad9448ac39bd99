/** Times in RFC 3339 and in UTC, as 1.32 shows them. */

const ZERO = '0001-01-01T00:00:00Z';
const MONTHS = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December'];

/** Such as `2026-01-01 00:00:00.5 +0000 UTC`; an absent time is the first that Go has. */
export function goTime(time: string | null | undefined): string {
  const [day, rest = ''] = (time ?? ZERO).split('T');
  const [seconds, fraction = ''] = rest.replace('Z', '').split('.');
  const digits = fraction.replace(/0+$/, '');
  return `${day} ${seconds}${digits === '' ? '' : `.${digits}`} +0000 UTC`;
}

/** What a pointer to a time is in a structure, such as `time.Date(2026, time.January, 1, 0, 0, 0, 0, time.Local)`. Whole seconds. */
export function goTimeSyntax(time: string | null | undefined): string {
  if (time === undefined || time === null) return '<nil>';
  const [year, month = 1, day, hour, minute, second] = time.split(/\D/).map(Number);
  return `time.Date(${year}, time.${MONTHS[month - 1]}, ${day}, ${hour}, ${minute}, ${second}, 0, time.Local)`;
}
