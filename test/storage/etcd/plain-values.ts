/** Values in etcd as they are here, for tests without kinds: where one says its revision is found by a member `r`. */
import type { ValueCodec } from '../../../runtime/storage/etcd/value-codec.ts';

const MARK = '"r":"';

export const plainValues: ValueCodec = {
  toEtcd: (_key, value) => Buffer.from(value),
  fromEtcd(_key, value) {
    const bytes = Buffer.from(value);
    const at = bytes.indexOf(MARK);
    return { bytes, revisionOffset: at < 0 ? -1 : at + MARK.length };
  },
};
