import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { denyServiceExternalIPs } from '../../../runtime/admission/plugins/deny-service-external-ips.ts';
import { type Asked, asked } from '../asking.ts';

const test = suite('external addresses of services');

const DENIED = 'services "x" is forbidden: Use of external IPs is denied by admission control';
const service = (...externalIPs: string[]) => ({ spec: { externalIPs } });

const ROWS: readonly (readonly [name: string, asked: Asked, isDenied: boolean])[] = [
  ['none', { object: { spec: {} } }, false],
  ['a new service with one', { object: service('1.2.3.4') }, true],
  ['those that it had', { operation: 'update', object: service('1.2.3.4'), old: service('5.6.7.8', '1.2.3.4') }, false],
  ['one more', { operation: 'update', object: service('1.2.3.4', '9.9.9.9'), old: service('1.2.3.4') }, true],
  ['a deletion', { operation: 'delete', old: service('1.2.3.4') }, false],
  ['its status', { operation: 'update', subresource: 'status', object: service('1.2.3.4'), old: service() }, false],
];
for (const [name, given, isDenied] of ROWS)
  test(name, async () => assert.is((await asked(denyServiceExternalIPs(), { resource: 'services', ...given })) === DENIED, isDenied));

test.run();
