import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ScalarError } from '../../../runtime/schema/scalar/scalar-error.ts';
import { canonicalMicroTime, canonicalTime, formatMicroTime, formatTime, instantOf } from '../../../runtime/schema/scalar/time.ts';

const time = suite('time');

const times: readonly [text: string, canonical: string | null][] = [
  ['2024-05-01T12:00:00Z', '2024-05-01T12:00:00Z'],
  ['2024-05-01T12:00:00.999999999Z', '2024-05-01T12:00:00Z'],
  ['2024-05-01T12:00:00,5Z', '2024-05-01T12:00:00Z'],
  ['2024-05-01T12:00:00+02:00', '2024-05-01T10:00:00Z'],
  ['2024-02-29T23:30:00-01:00', '2024-03-01T00:30:00Z'],
  ['2000-02-29T00:00:00Z', '2000-02-29T00:00:00Z'],
  ['2024-05-01T1:02:03Z', '2024-05-01T01:02:03Z'],
  ['0001-01-01T00:00:00Z', null],
  ['0001-01-01T01:00:00+01:00', null],
  ['0000-01-01T00:00:00Z', '0000-01-01T00:00:00Z'],
  ['9999-12-31T23:59:59Z', '9999-12-31T23:59:59Z'],
];
for (const [text, expected] of times) time(`${text} is ${expected}`, () => assert.is(canonicalTime(text), expected));

const microTimes: readonly [text: string, canonical: string | null][] = [
  ['2024-05-01T12:00:00.000000Z', '2024-05-01T12:00:00.000000Z'],
  ['2024-05-01T12:00:00.123456+02:00', '2024-05-01T10:00:00.123456Z'],
  ['0001-01-01T00:00:00.000000Z', null],
];
for (const [text, expected] of microTimes)
  time(`${text} as micro time is ${expected}`, () => assert.is(canonicalMicroTime(text), expected));

const LAYOUT = '2006-01-02T15:04:05Z07:00';
const refused: readonly [text: string, message: string][] = [
  ['', `parsing time "" as "${LAYOUT}": cannot parse "" as "2006"`],
  ['"\té', `parsing time "\\"\\x09\\xc3\\xa9" as "${LAYOUT}": cannot parse "\\"\\x09\\xc3\\xa9" as "2006"`],
  ['yesterday', `parsing time "yesterday" as "${LAYOUT}": cannot parse "yesterday" as "2006"`],
  ['2024-05-01', `parsing time "2024-05-01" as "${LAYOUT}": cannot parse "" as "T"`],
  ['2024-05-01 12:00:00Z', `parsing time "2024-05-01 12:00:00Z" as "${LAYOUT}": cannot parse " 12:00:00Z" as "T"`],
  ['2024-5-01T12:00:00Z', `parsing time "2024-5-01T12:00:00Z" as "${LAYOUT}": cannot parse "5-01T12:00:00Z" as "01"`],
  ['2024-05-01T12:00:00', `parsing time "2024-05-01T12:00:00" as "${LAYOUT}": cannot parse "" as "Z07:00"`],
  ['2024-05-01T12:00:00z', `parsing time "2024-05-01T12:00:00z" as "${LAYOUT}": cannot parse "z" as "Z07:00"`],
  ['2024-13-01T12:00:00Z', 'parsing time "2024-13-01T12:00:00Z": month out of range'],
  ['2023-02-29T12:00:00Z', 'parsing time "2023-02-29T12:00:00Z": day out of range'],
  ['1900-02-29T12:00:00Z', 'parsing time "1900-02-29T12:00:00Z": day out of range'],
  ['2024-05-00T12:00:00Z', 'parsing time "2024-05-00T12:00:00Z": day out of range'],
  ['2024-05-01T24:00:00Z', 'parsing time "2024-05-01T24:00:00Z": hour out of range'],
  ['2024-05-01T12:60:00Z', 'parsing time "2024-05-01T12:60:00Z": minute out of range'],
  ['2024-05-01T12:00:60Z', 'parsing time "2024-05-01T12:00:60Z": second out of range'],
  ['2024-05-01T12:00:00+25:00', 'parsing time "2024-05-01T12:00:00+25:00": time zone offset hour out of range'],
  ['2024-05-01T12:00:00Zx', 'parsing time "2024-05-01T12:00:00Zx": extra text: "x"'],
  ['9999-12-31T23:59:59-01:00', 'Time.MarshalJSON: year outside of range [0,9999]'],
];
for (const [text, message] of refused) {
  time(`refuses ${JSON.stringify(text)}`, () => {
    assert.throws(
      () => canonicalTime(text),
      (error: unknown) => error instanceof ScalarError && error.message === message,
    );
  });
}

time('a micro time has exactly six digits of a second', () => {
  assert.throws(
    () => canonicalMicroTime('2024-05-01T12:00:00Z'),
    /parsing time "2024-05-01T12:00:00Z" as "2006-01-02T15:04:05\.000000Z07:00": cannot parse "Z" as "\.000000"/,
  );
  assert.throws(() => canonicalMicroTime('2024-05-01T12:00:00.1234567Z'), /cannot parse "7Z" as "Z07:00"/);
});

time('instants and texts say the same', () => {
  const seconds = fc.integer({ min: -62_167_219_200, max: 253_402_300_799 });
  fc.assert(
    fc.property(seconds, fc.integer({ min: 0, max: 999_999 }), (second, micros) => {
      const text = formatTime(second);
      if (text === null) return;
      assert.is(canonicalTime(text), text);
      assert.equal(instantOf(text), { seconds: second, nanos: 0 });
      assert.is(`${new Date(second * 1000).toISOString().slice(-13, -5)}Z`, text.slice(-9));
      const exact = { seconds: second, nanos: micros * 1000 };
      assert.equal(instantOf(formatMicroTime(exact)), exact);
      assert.is(canonicalMicroTime(formatMicroTime(exact)), formatMicroTime(exact));
    }),
  );
});

time.run();
