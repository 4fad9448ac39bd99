/** A store whose values of some keys cannot be read. */
import { ValueDamaged } from '../../runtime/storage/errors.ts';
import type { Entry, RangeOptions, Storage } from '../../runtime/storage/storage.ts';

/** @param damaged keys, which a test may change at any time */
export function withDamaged(storage: Storage, damaged: ReadonlySet<string>): Storage {
  const shown = <T extends Entry | undefined>(entry: T): T =>
    entry !== undefined && damaged.has(entry.key) ? (unread(entry) as T) : entry;
  return new Proxy(storage, {
    get(target, name) {
      if (name === 'get') return (key: string, atRevision?: number) => shown(target.get(key, atRevision));
      if (name === 'range') return (options: RangeOptions) => Iterator.from(target.range(options)).map(shown);
      const member = Reflect.get(target, name, target);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}

const unread = ({ key, revision }: Entry): Entry => ({
  key,
  revision,
  get value(): never {
    throw new ValueDamaged(key, revision, 'a test says so');
  },
});
