/** Scalars that are messages in protobuf. The reader must be limited to such a message. */
import { formatDuration } from '../scalar/duration.ts';
import { canonicalQuantity } from '../scalar/quantity.ts';
import { numberText, type RawNumber } from '../scalar/raw-number.ts';
import { formatMicroTime, formatTime, type Instant, ZERO_TIME_SECONDS } from '../scalar/time.ts';
import { ProtobufError, requireWire } from './error.ts';
import { DELIMITED, VARINT } from './layout.ts';
import type { Reader } from './reader.ts';

type Form = 'int32' | 'int64' | 'text';

interface ScalarMessage {
  readonly name: string;
  /** names in Go and forms of the fields, whose numbers begin with 1 */
  readonly fields: readonly (readonly [name: string, form: Form])[];
}

const TIMESTAMP: ScalarMessage = {
  name: 'Timestamp',
  fields: [
    ['Seconds', 'int64'],
    ['Nanos', 'int32'],
  ],
};
const DURATION: ScalarMessage = { name: 'Duration', fields: [['Duration', 'int64']] };
const QUANTITY: ScalarMessage = { name: 'Quantity', fields: [['String', 'text']] };
const INT_OR_STRING: ScalarMessage = {
  name: 'IntOrString',
  fields: [
    ['Type', 'int64'],
    ['IntVal', 'int32'],
    ['StrVal', 'text'],
  ],
};

/** @throws ProtobufError, ScalarError */
export function readTime(reader: Reader): string | null {
  return reader.more ? formatTime(readInstant(reader).seconds) : null;
}

/** @throws ProtobufError, ScalarError */
export function readMicroTime(reader: Reader): string | null {
  if (!reader.more) return null;
  const instant = readInstant(reader);
  return instant.seconds === ZERO_TIME_SECONDS && instant.nanos === 0 ? null : formatMicroTime(instant);
}

/** @throws ProtobufError, ScalarError */
export function readDuration(reader: Reader): string {
  const [duration = 0] = read(reader, DURATION);
  return formatDuration(BigInt(numberText(duration) as string));
}

/** @throws ProtobufError, ScalarError */
export function readQuantity(reader: Reader): string {
  const text = (read(reader, QUANTITY)[0] ?? '0') as string;
  // only JSON allows space around a quantity; the error is that of any other invalid text
  return canonicalQuantity(text === text.trim() ? text : '');
}

/** @throws ProtobufError */
export function readIntOrString(reader: Reader): number | string {
  const values = read(reader, INT_OR_STRING);
  const type = values[0] ?? 0;
  if (type === 1) return (values[2] ?? '') as string;
  if (type !== 0) throw new ProtobufError('impossible IntOrString.Type');
  return (values[1] ?? 0) as number;
}

const NANOS = 1_000_000_000;

/** Nanoseconds may be any number; they are carried over to the seconds. */
function readInstant(reader: Reader): Instant {
  const values = read(reader, TIMESTAMP);
  const seconds = (values[0] ?? 0) as number | RawNumber;
  const nanos = (values[1] ?? 0) as number;
  const carried = Math.floor(nanos / NANOS);
  return { seconds: (typeof seconds === 'number' ? seconds : Number(numberText(seconds))) + carried, nanos: nanos - carried * NANOS };
}

function read(reader: Reader, { name, fields }: ScalarMessage): (number | RawNumber | string | undefined)[] {
  const values = new Array<number | RawNumber | string | undefined>(fields.length);
  while (reader.more) {
    const tag = reader.tag(name);
    const index = Math.floor(tag / 8) - 1;
    const field = fields[index];
    if (field === undefined) {
      reader.skip(tag % 8);
      continue;
    }
    const [fieldName, form] = field;
    requireWire(tag % 8, form === 'text' ? DELIMITED : VARINT, fieldName);
    if (form === 'text') values[index] = reader.text();
    else values[index] = form === 'int32' ? reader.int32() : reader.int64();
  }
  return values;
}
