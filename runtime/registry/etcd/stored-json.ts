/** Objects in etcd as JSON: as they are stored here, but that their version is not in it. */
import { REVISION_GAP } from '../../storage/storage.ts';
import type { StoredObject } from '../stored-objects/stored-object.ts';

/** The text before the gap for the revision. */
const REVISION_MEMBER = '"resourceVersion":"';
const COMMA = 0x2c;
const LINE_END = '\n';

/** Makes the value for etcd, which is JSON and a line end, from the bytes of a stored object. */
export function jsonToEtcd(stored: StoredObject): Buffer {
  const { bytes, json, revisionOffset } = stored;
  const offset = revisionOffset - (bytes.length - json.length);
  let start = offset - REVISION_MEMBER.length;
  let end = offset + REVISION_GAP;
  // metadata that have nothing else are empty
  if (json[start - 1] === COMMA) start--;
  else if (json[end] === COMMA) end++;
  const text = Buffer.allocUnsafe(json.length - (end - start) + LINE_END.length);
  json.copy(text, 0, 0, start);
  json.copy(text, start, end);
  text.write(LINE_END, text.length - LINE_END.length, 'latin1');
  return text;
}
