/** What expressions have made for one request, as JSON of a bounded length. */
import { writeJson } from '../../contract/json-writer.ts';
import { type JsonForm, jsonOf, NoJson, TooMuchJson } from '../../expressions/values/json-of.ts';
import type { Value } from '../../expressions/values/value.ts';
import { LongObject } from '../../registry/stored-objects/long-value.ts';
import { copyValue } from '../../schema/copy.ts';
import { newRequestEntityTooLarge } from '../../status/status.ts';

/** Characters: what no request may be longer than, and what no object may be. */
const LIMIT = 3 * 1024 * 1024;
const OBJECT_LIMIT = 8 * 1024 * 1024;
/** Characters from which it takes long to make an object of them. */
const LONG = 32 * 1024;

export class MadeJson {
  /** whether this thread may take long */
  readonly mayTakeLong: boolean;
  #left: number;

  constructor(mayTakeLong: boolean) {
    this.mayTakeLong = mayTakeLong;
    this.#left = mayTakeLong ? LIMIT : LONG;
  }

  /** @returns JSON that is nobody else's. @throws NoJson, LongObject */
  of(value: Value, form: JsonForm): unknown {
    try {
      const { json, size } = jsonOf(value, form, this.#left);
      this.#left -= size;
      return copyValue(json);
    } catch (error) {
      if (!(error instanceof TooMuchJson)) throw error;
      if (!this.mayTakeLong) throw new LongObject();
      throw new NoJson(`policies would make more than ${LIMIT} characters of JSON for one request`);
    }
  }

  /** Of an object that may have become much longer than what was made for it. @throws LongObject, StatusError RequestEntityTooLarge */
  requireBounded(object: object): void {
    const { length } = writeJson(object);
    if (!this.mayTakeLong && length > LONG) throw new LongObject();
    if (length > OBJECT_LIMIT) throw newRequestEntityTooLarge(OBJECT_LIMIT);
  }
}
