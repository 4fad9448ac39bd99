/** Times in table cells, in the short form that users of kubectl know. */
import type { Now } from '../contract/table.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/**
 * Time since a timestamp, such as `5s`, `3m20s`, `2d4h`.
 * @param timestamp RFC 3339; absent: `<unknown>`, any other text: `<invalid>`
 */
export function age(timestamp: string | null | undefined, now: Now): string {
  if (!timestamp) return '<unknown>';
  const since = Date.parse(timestamp);
  if (Number.isNaN(since)) return '<invalid>';
  return typeof now === 'number' ? shortDuration(now - since) : now.mark(since);
}

/** At most two units, fewer the longer the duration is. Clocks may differ by 2 seconds before a duration counts as `<invalid>`, as NaN does. */
export function shortDuration(milliseconds: number): string {
  const seconds = Math.trunc(milliseconds / SECOND);
  if (!(seconds >= -1)) return '<invalid>';
  if (seconds < 0) return '0s';
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.trunc(milliseconds / MINUTE);
  if (minutes < 10) return twoUnits(minutes, 'm', seconds % 60, 's');
  if (minutes < 180) return `${minutes}m`;
  return inHours(Math.trunc(milliseconds / HOUR), minutes);
}

function inHours(hours: number, minutes: number): string {
  if (hours < 8) return twoUnits(hours, 'h', minutes % 60, 'm');
  if (hours < 48) return `${hours}h`;
  const days = Math.trunc(hours / 24);
  if (days < 8) return twoUnits(days, 'd', hours % 24, 'h');
  const years = Math.trunc(days / 365);
  if (years < 2) return `${days}d`;
  return years < 8 ? twoUnits(years, 'y', days % 365, 'd') : `${years}y`;
}

function twoUnits(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large}${largeUnit}` : `${large}${largeUnit}${small}${smallUnit}`;
}
