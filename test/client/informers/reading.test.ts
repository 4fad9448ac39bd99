/** What readers find in an informer. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ConfigMap } from '../../../generated/client/core/v1/index.ts';
import { following, TwoObjects, until } from './followed-informer.ts';
import { bookmark, event } from './list-watch-server.ts';

const reading = suite('reading an informer');
const two = new TwoObjects();
reading('finds objects by indices, of those that are there and those to come', () =>
  following(
    two.answers,
    async ({ informed, told }) => {
      await informed.synced();
      informed.addIndex('name', ({ metadata }) => [metadata.name, undefined]);
      assert.equal(informed.keysByIndex('version', '1'), ['n/a']);
      two.send(event('MODIFIED', 'a', '6') + event('ADDED', 'c', '6') + event('DELETED', 'b', '7'));
      await until(() => told.length === 5);
      assert.equal(informed.keysByIndex('version', '1'), []);
      assert.equal(
        informed.byIndex('version', '6').map(({ metadata }) => metadata.name),
        ['a', 'c'],
      );
      assert.equal([informed.keysByIndex('name', 'b'), informed.keysByIndex('name', 'c')], [[], ['n/c']]);
      assert.throws(() => informed.addIndex('name', () => []), /there is an index name already/);
      assert.throws(() => informed.byIndex('other', 'x'), /there is no index other/);
    },
    { indices: { version: ({ data }: ConfigMap) => [data?.version] } } as object,
  ),
);
reading('gives each reader an object of their own, whatever is in it', () =>
  following(
    (_asked, response) =>
      response.write(
        `${JSON.stringify({ type: 'ADDED', object: { metadata: { name: 'a', uid: 'u', resourceVersion: '1' }, data: { 'é\u2028': '\u{1f600}"\\' }, n: 1 } })}\n${bookmark('5', true)}`.replace(
          '"n":1',
          '"n":9007199254740993',
        ),
      ),
    async ({ informed }) => {
      await informed.synced();
      const [first, second] = [informed.get('a'), informed.get('a')];
      assert.equal(first?.data, { 'é\u2028': '\u{1f600}"\\' });
      assert.match(JSON.stringify(first), /"n":9007199254740993/);
      assert.is.not(first, second);
      assert.equal([informed.has('a'), informed.has('b'), informed.get('b'), informed.list().length], [true, false, undefined, 1]);
    },
  ),
);
reading('gives the same object where it holds objects', () =>
  following(
    two.answers,
    async ({ informed }) => {
      await informed.synced();
      assert.is(informed.get('a', 'n'), informed.get('a', 'n'));
    },
    { hold: 'objects' },
  ),
);
reading('has what a transformation has left', () =>
  following(
    two.answers,
    async ({ informed, told }) => {
      await informed.synced();
      assert.equal(informed.get('a', 'n')?.data, undefined);
      assert.equal(told, ['ADDED a1 list', 'ADDED b2 list']);
    },
    { transform: ({ metadata, kind, apiVersion }: ConfigMap) => ({ metadata, kind, apiVersion }) } as object,
  ),
);
for (const [name, failsFor] of [
  ['as the transformation leaves them', undefined],
  ['as they were held where the transformation fails', '9'],
] as const)
  reading(`tells of deleted objects ${name}`, () =>
    following(
      two.answers,
      async ({ informed, errors }) => {
        await informed.synced();
        const deleted: ConfigMap[] = [];
        informed.on(({ type, object }) => type === 'DELETED' && deleted.push(object));
        two.send(event('DELETED', 'a', '9'));
        await until(() => deleted.length === 1);
        const [{ metadata, data }] = deleted as [ConfigMap];
        assert.equal([metadata.name, metadata.resourceVersion, data], ['a', failsFor === undefined ? '9' : '1', undefined]);
        assert.is(errors.length, failsFor === undefined ? 0 : 1);
        assert.not(informed.has('n/a'));
      },
      {
        transform: ({ metadata, kind, apiVersion }: ConfigMap) => {
          if (metadata.resourceVersion === failsFor) throw new Error('it fails');
          return { metadata, kind, apiVersion };
        },
      } as object,
    ),
  );
reading.run();
