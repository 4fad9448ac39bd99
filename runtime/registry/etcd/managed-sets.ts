/** Sets of managed fields on their way between etcd and here: texts in both places, which nobody parses in between. */

import { type Entry, entryOf, fieldsTextOf } from '../../apply/managed-entries.ts';
import { isSetText } from '../../apply/set-syntax.ts';
import { writeJson } from '../../contract/json-writer.ts';
import { parseJson } from '../../schema/json/json-text.ts';
import { WrittenJson } from '../../schema/protobuf/codec.ts';

/** An entry as it was decoded. */
type Decoded = Omit<Entry, 'fieldsV1'> & { readonly fieldsV1?: unknown };

/**
 * Entries that can be stored here. One that does not say what was done, or whose set is none, which 1.32 writes nowhere, is left out: nobody owns anything by
 * it.
 * @param entries decoded, of JSON or with texts that nobody has looked at
 */
export function storableEntries(entries: readonly unknown[]): object[] {
  const storable: object[] = [];
  for (const entry of entries as readonly Decoded[]) {
    const { fieldsV1, ...members } = entry;
    if ((members.operation ?? '') === '') continue;
    if (fieldsV1 === undefined || fieldsV1 === null) storable.push(members);
    else {
      const text = setText(fieldsV1);
      if (text !== undefined) storable.push(entryOf(members, text));
    }
  }
  return storable;
}

/** Writes a set of fields in the form of this server, whatever spaces and escapes it has. */
function setText(fields: unknown): string | undefined {
  if (fields instanceof WrittenJson) {
    const { text } = fields;
    if (isSetText(text) && !text.includes('\\u')) return text;
    return setText(parseJson(text).value);
  }
  const text = writeJson(fields);
  return isSetText(text) ? text : undefined;
}

/** Entries whose sets are written as they are stored. @param entries as a stored object is parsed to */
export function writtenEntries(entries: readonly unknown[]): object[] {
  return entries.map((entry) => {
    const text = fieldsTextOf(entry as object);
    if (text === undefined) return entry as object;
    // the set itself would be parsed where it is asked for
    const { manager, operation, apiVersion, time, fieldsType, subresource } = entry as Entry;
    return { manager, operation, apiVersion, time, fieldsType, fieldsV1: new WrittenJson(text), subresource };
  });
}
