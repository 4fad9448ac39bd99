/** Collects everything in a converted object at which people should look. */
import type { Conversion } from '../conversion.ts';
import type { KnownKind, KnownKinds } from '../known-kinds.ts';
import { differingDefaults } from './differing-defaults.ts';
import { lostMembers } from './lost-members.ts';
import { type Notice, noticeTexts } from './notice.ts';
import { refusedValues } from './refused-values.ts';
import { statedNotices } from './stated-notices.ts';

/** @returns sentences; one about a member begins with its path */
export async function afterConversion(kinds: KnownKinds, from: KnownKind, conversion: Conversion): Promise<string[]> {
  const unknown = conversion.unknownFields.map((path) => ({ path, text: `${from.apiVersion} has no such member: it is left out.` }));
  const stated = statedNotices(kinds.notices[`${from.folder} ${from.kind}`] ?? [], conversion.written, kinds.identity.text);
  const defaults = differingDefaults(conversion);
  const refused = await refusedValues(kinds, conversion);
  return noticeTexts([...unknown, ...advised([...defaults, ...lostMembers(conversion), ...refused], stated)]);
}

/** Puts a notice that schemas state for a member behind the computed one for it. */
function advised(found: readonly Notice[], stated: readonly Notice[]): Notice[] {
  const advice = new Map(stated.map(({ path, text }) => [path, text]));
  const told = new Set<string>();
  const notices = found.map(({ path, text }) => {
    const more = advice.get(path);
    if (more === undefined || told.has(path)) return { path, text };
    told.add(path);
    return { path, text: `${text} ${more}` };
  });
  return [...notices, ...stated.filter(({ path }) => !told.has(path))];
}
