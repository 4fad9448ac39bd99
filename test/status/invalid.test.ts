import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type FieldError, invalid } from '../../runtime/contract/field-error.ts';
import { newInvalid } from '../../runtime/status/status.ts';

const test = suite('objects that are invalid');

const of = { group: 'apps', kind: 'Deployment' };
const messageOf = (errors: readonly FieldError[]) => newInvalid(of, 'a', errors).status.message as string;
const MEGABYTE = 1_000_000;

test('one error stands alone, several in brackets, the same text once', () => {
  assert.is(messageOf([invalid('a', 1, 'x')]), 'Deployment.apps "a" is invalid: a: Invalid value: 1: x');
  assert.is(
    messageOf([invalid('a', 1, 'x'), invalid('a', 1, 'x'), invalid('b', [2], 'y')]),
    'Deployment.apps "a" is invalid: [a: Invalid value: 1: x, b: Invalid value: [2]: y]',
  );
});

/** What says that there were more errors. */
const endOf = (told: number) => `Too many errors: no more than the first ${told} are told`;

test('what shows a large list with each of its elements stays within bounds', () => {
  const list = Array.from({ length: 20_000 }, (_, index) => `element ${index}`.padEnd(100));
  const { status } = newInvalid(
    of,
    'a',
    list.map((element) => invalid('list', list, `${element} is wrong`)),
  );
  const { causes = [] } = status.details ?? {};
  assert.ok(JSON.stringify(status).length < MEGABYTE);
  assert.ok(causes.length > 10 && causes.length < 20, `${causes.length}`);
  assert.match(causes[0]?.message ?? '', /^Invalid value: \["element 0 +",.+,\.\.\. 19\d{3} more\]: element 0 +is wrong$/);
  assert.equal(causes.at(-1), { reason: 'FieldValueTooMany', message: endOf(causes.length - 1) });
});

test('2,500 errors are told, and of more that there are more', () => {
  const errors = Array.from({ length: 2_501 }, (_, index) => invalid(`data[${index}]`, '', 'is wrong'));
  const all = newInvalid(of, 'a', errors.slice(0, 2_500)).status;
  assert.is(all.details?.causes?.length, 2_500);
  assert.not.match(all.message as string, /Too many/);
  const { message, details } = newInvalid(of, 'a', errors).status;
  assert.is(details?.causes?.length, 2_501);
  assert.equal(details?.causes?.at(-1), { reason: 'FieldValueTooMany', message: endOf(2_500) });
  assert.ok((message as string).endsWith(`, ${endOf(2_500)}]`));
});

test('of a large list or map the first members are shown', () => {
  const shownOf = (value: object): string => (invalid('a', value, 'x').message.match(/^Invalid value: (.*): x$/) ?? [])[1] ?? '';
  const long = 'x'.repeat(6_000);
  assert.is(shownOf([long, long]), JSON.stringify([long, long]));
  assert.is(shownOf([long, long, long]), `["${long}","${long}",... 1 more]`);
  assert.is(shownOf({ a: long, b: undefined, c: long, d: long }), `{"a":"${long}","c":"${long}",... 1 more}`);
  assert.is(shownOf([long.repeat(3), 1]), '[... 2 more]');
});

test('long errors are told as far as there is room', () => {
  const errors = Array.from({ length: 900 }, (_, index) => invalid(`data[${index}]`, 'x'.repeat(1_000), 'is wrong'));
  const { status } = newInvalid(of, 'a', errors);
  const told = (status.details?.causes?.length ?? 0) - 1;
  assert.ok(told > 200 && told < errors.length, `${told}`);
  assert.ok((status.message as string).endsWith(`, ${endOf(told)}]`));
});

test('of one error that is very long the beginning is told', () => {
  const { message } = newInvalid(of, 'a', [invalid('a', 'x'.repeat(2 * MEGABYTE), 'y')]).status;
  assert.ok((message as string).length < MEGABYTE / 2);
  assert.match(message as string, /^Deployment\.apps "a" is invalid: a: Invalid value: "x+\.\.\.$/);
});

test.run();
