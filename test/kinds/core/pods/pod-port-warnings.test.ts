import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { portWarnings } from '../../../../runtime/kinds/core/pods/pod-port-warnings.ts';

const test = suite('warnings of ports');
const container = (ports: object[]) => [{ path: 'spec.containers[0]', container: { name: 'c', ports } }];

test('of the same ports again and again not more is said than anybody reads', () => {
  const ports = Array.from({ length: 5_000 }, () => ({ containerPort: 80, protocol: 'TCP' }));
  const warnings = portWarnings(container(ports));
  assert.ok(warnings.length >= 100 && warnings.length < 1_000, String(warnings.length));
  assert.equal(warnings.slice(0, 3), [
    'spec.containers[0].ports[1]: duplicate port definition with spec.containers[0].ports[0]',
    'spec.containers[0].ports[2]: duplicate port definition with spec.containers[0].ports[0]',
    'spec.containers[0].ports[2]: duplicate port definition with spec.containers[0].ports[1]',
  ]);
});

test('ports of one number that differ on the host are no collisions, however many there are', () => {
  const ports = Array.from({ length: 50_000 }, (_, index) => ({ containerPort: 80, hostPort: index + 1, protocol: 'TCP' }));
  assert.equal(portWarnings(container(ports)), []);
});

test.run();
