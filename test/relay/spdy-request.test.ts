import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { inSpdy } from '../../runtime/relay/spdy-request.ts';
import { outgoing } from './backend.ts';

const test = suite('requests of WebSockets as those of SPDY');

test('lose what is of WebSockets alone, and offer the protocols in order', () => {
  const headers = ['Host', 'x', 'Sec-WebSocket-Key', 'k', 'sec-websocket-protocol', 'v5', 'X-Other', '1'];
  const made = inSpdy(outgoing({ host: 'h', port: 1 }, { method: 'GET', path: '/exec?command=ls', headers, upgrade: 'websocket' }), [
    'v5',
    'v4',
  ]);
  assert.equal(made, {
    target: { host: 'h', port: 1 },
    method: 'POST',
    path: '/exec?command=ls',
    headers: ['Host', 'x', 'X-Other', '1', 'X-Stream-Protocol-Version', 'v5', 'X-Stream-Protocol-Version', 'v4'],
    upgrade: 'SPDY/3.1',
  });
});

test.run();
