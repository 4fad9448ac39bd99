import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { OwnedVersion, Versions } from '../../../runtime/apply/versions.ts';
import type { Converter } from '../../../runtime/contract/converter.ts';
import type { ApiObject } from '../../../runtime/contract/object.ts';
import { withConversions } from '../../../runtime/registry/resource-store/waiting-conversions.ts';

const test = suite('comparisons that wait for conversions');
const [A, B] = ['a/v1', 'a/v2'].map((apiVersion) => ({ apiVersion }) as OwnedVersion) as [OwnedVersion, OwnedVersion];
const object = (text: string) => ({ kind: 'K', apiVersion: 'a/v1', metadata: { name: text } });
const nameOf = ([first]: readonly object[]): string => (first as ApiObject).metadata.name ?? '';

/** Adds the wanted version to the name, later or at once. */
function converter(waits: (asked: number) => boolean): Converter & { asked: number } {
  return {
    asked: 0,
    convert(objects, apiVersion) {
      const converted = objects.map((each) => ({ ...each, apiVersion, metadata: { name: `${each.metadata.name} ${apiVersion}` } }));
      return waits(this.asked++) ? Promise.resolve(converted) : converted;
    },
  };
}

/** There and back again. */
function compare(versions: Versions): string {
  const there = versions.convert([object('x')], A, B);
  return nameOf(versions.convert(there, B, A));
}

for (const [what, waits] of [
  ['that come at once', () => false],
  ['that come later', () => true],
  ['of both sorts', (asked: number) => asked % 2 === 1],
] as const)
  test(`find conversions ${what} in their order, each made once`, async () => {
    const slow = converter(waits);
    const found = await withConversions(
      slow,
      A,
      () => undefined,
      () => {},
      compare,
    );
    assert.equal([found, slow.asked], ['x a/v2 a/v1', 2]);
  });

test('go through the version of the path', async () => {
  const slow = converter(() => true);
  const between = ({ convert }: Versions) => nameOf(convert([object('x')], A, B));
  const found = await withConversions(
    slow,
    { apiVersion: 'a/v3' } as OwnedVersion,
    () => undefined,
    () => {},
    between,
  );
  assert.equal([found, slow.asked], ['x a/v3 a/v2', 2]);
});

test('end where a version does not allow what was made', async () => {
  const unfit = ([made]: readonly ApiObject[]): void => {
    throw new Error(`${made?.apiVersion} is unfit`);
  };
  const run = withConversions(
    converter(() => true),
    A,
    () => undefined,
    unfit,
    compare,
  );
  const text = await run.catch(({ message }) => message);
  assert.is(text, 'a/v2 is unfit');
});

test('are refused with what a converter is, and with their own errors', async () => {
  const broken: Converter = { convert: () => Promise.reject(new Error('broken')) };
  const refused = (run: Promise<unknown>): Promise<string> =>
    run.then(
      () => 'nothing',
      ({ message }) => message,
    );
  const find = () => undefined;
  const same = (): void => {};
  assert.is(await refused(withConversions(broken, A, find, same, compare)), 'broken');
  const fails = (): never => {
    throw new Error('no');
  };
  assert.is(
    await refused(
      withConversions(
        converter(() => true),
        A,
        find,
        same,
        fails,
      ),
    ),
    'no',
  );
});

test('change nothing of what they convert', async () => {
  const given = object('x');
  const changing: Converter = {
    convert: (objects) => objects.map((each) => Object.assign(each, { metadata: { name: 'changed' } })),
  };
  const found = await withConversions(
    changing,
    A,
    () => undefined,
    () => {},
    ({ convert }) => nameOf(convert([given], A, B)),
  );
  assert.equal([found, given.metadata.name], ['changed', 'x']);
});

test.run();
