import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { HandlerName } from '../../../../runtime/contract/handlers.ts';
import { namedHandler, namedRelay } from '../../../../runtime/endpoints/handlers/virtual/virtual.ts';

const test = suite('handlers that schemas name');

const relays: readonly [name: HandlerName, methods: readonly string[], connects: boolean, below: boolean][] = [
  ['log', [], false, false],
  ['exec', [], true, false],
  ['attach', [], true, false],
  ['portforward', [], true, false],
  ['proxy/pod', ['HEAD', 'OPTIONS'], true, true],
  ['proxy/node', ['HEAD', 'OPTIONS'], true, true],
  ['proxy/service', ['HEAD', 'OPTIONS'], true, true],
];
for (const [name, methods, connects, below] of relays)
  test(`${name} passes requests on`, () => {
    const relay = namedRelay(name);
    assert.equal([[...(relay?.methods ?? [])], relay?.connects, relay?.below], [methods, connects, below]);
    assert.is(namedHandler(name), relay?.handle);
  });

for (const name of ['binding', 'eviction', 'componentstatuses', 'authentication/token-review'] as const)
  test(`${name} answers by itself`, () => {
    assert.is(namedRelay(name), undefined);
    assert.type(namedHandler(name), 'function');
  });

test('what names no handler passes nothing on', () => assert.is(namedRelay(undefined), undefined));

test.run();
