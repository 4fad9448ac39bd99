/** A store that says which values were read of its ranges. */
import type { Entry, RangeOptions, Storage } from '../../../runtime/storage/storage.ts';

export function withReads<S extends Storage>(beneath: S): { readonly storage: S; readonly keys: string[] } {
  const keys: string[] = [];
  const noted = (entry: Entry): Entry => ({
    key: entry.key,
    revision: entry.revision,
    id: entry.id,
    get value() {
      keys.push(entry.key);
      return entry.value;
    },
  });
  const range = beneath.range.bind(beneath);
  const storage = new Proxy(beneath, {
    get(target, name) {
      if (name === 'range') return (options: RangeOptions) => Iterator.from(range(options)).map(noted);
      const member = Reflect.get(target, name, target);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
  return { storage, keys };
}
