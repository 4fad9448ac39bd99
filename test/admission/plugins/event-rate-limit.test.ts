import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { AdmissionPlugin } from '../../../runtime/admission/plugin-interface/plugin.ts';
import { eventRateLimit } from '../../../runtime/admission/plugins/event-rate-limit.ts';
import { type Asked, asked, attributesOf, partsOf } from '../asking.ts';

const test = suite('rates of events');
let time = 0;
const limited = (...limits: object[]): AdmissionPlugin => eventRateLimit(partsOf({ configuration: () => ({ limits }) }), () => time);

/** @returns what came of an event */
async function sent(plugin: AdmissionPlugin, given: Asked & { readonly user?: string } = {}): Promise<string> {
  const attributes = attributesOf({ resource: 'events', object: {}, ...given });
  const of = { ...attributes, kind: { group: given.group ?? '', kind: 'Event' }, user: { ...attributes.user, name: given.user ?? 'jane' } };
  try {
    await plugin.validate?.(of as typeof attributes);
    return 'admitted';
  } catch (error) {
    return (error as Error).message;
  }
}

const about = (name: string, component = 'c') => ({
  source: { component, host: 'h' },
  involvedObject: { kind: 'Pod', namespace: 'n', name },
});
const ROWS: readonly (readonly [type: string, same: Parameters<typeof sent>[1], other: Parameters<typeof sent>[1], key: string])[] = [
  ['Namespace', { namespace: 'a' }, { namespace: 'b' }, 'a'],
  ['User', { user: 'jane' }, { user: 'john' }, 'jane'],
  ['SourceAndObject', { object: about('p') }, { object: about('q') }, 'chPodnp'],
];
for (const [type, same, other, key] of ROWS)
  test(`are limited by ${type}`, async () => {
    const plugin = limited({ type, qps: 1, burst: 1 });
    assert.equal(
      [await sent(plugin, same), await sent(plugin, same), await sent(plugin, other)],
      ['admitted', `Too many requests: limit reached on type ${type} for key ${key}`, 'admitted'],
    );
    time += 1_000;
    assert.is(await sent(plugin, same), 'admitted');
  });

test('of the server are limited together, and all limits are told', async () => {
  const plugin = limited({ type: 'Server', qps: 1, burst: 1 }, { type: 'User', qps: 1, burst: 1 });
  assert.is(await sent(plugin), 'admitted');
  assert.is(await sent(plugin), 'Too many requests: [limit reached on type Server for key , limit reached on type User for key jane]');
});

test('a limit that is there twice is told once', async () => {
  const plugin = limited({ type: 'Server', qps: 1, burst: 1 }, { type: 'Server', qps: 1, burst: 1 });
  assert.is(await sent(plugin), 'admitted');
  assert.is(await sent(plugin), 'Too many requests: limit reached on type Server for key ');
});

test('of the server need no memory, whatever is said of its size', async () => {
  const plugin = limited({ type: 'Server', qps: 1, burst: 1, cacheSize: -1 });
  assert.is(await sent(plugin), 'admitted');
  assert.is(await sent(plugin), 'Too many requests: limit reached on type Server for key ');
});

test('of those that are forgotten begin anew', async () => {
  const plugin = limited({ type: 'Namespace', qps: 1, burst: 1, cacheSize: 1 });
  for (const namespace of ['a', 'b', 'a']) assert.is(await sent(plugin, { namespace }), 'admitted');
});

for (const given of [{ dryRun: true }, { operation: 'delete' }, { group: 'events.k8s.io' }] satisfies Asked[])
  test(`do not count as ${JSON.stringify(given)}`, async () => {
    const plugin = limited({ type: 'Server', qps: 1, burst: 1 });
    assert.equal([await sent(plugin, given), await sent(plugin, given), await sent(plugin)], ['admitted', 'admitted', 'admitted']);
  });

test('other objects do not count', async () => {
  const plugin = limited({ type: 'Server', qps: 1, burst: 1 });
  for (let i = 0; i < 3; i++) assert.is(typeof (await asked(plugin, { object: {} })), 'object');
});

test('there is none without a configuration', () => {
  assert.throws(() => eventRateLimit(partsOf({ configuration: () => undefined })), /limits: Required value/);
});

test.run();
