/** Namespaces of the delegating server that are not known yet: what was found out about one holds for its time. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { namespaces } from '../../generated/client/core/v1/index.ts';
import { Client } from '../../runtime/client/resources/client.ts';
import { ClusterObjects } from '../../runtime/delegation/cluster-objects.ts';
import { HOUR, withMachineClock } from '../harness/machine-clock.ts';
import { identity } from '../kinds/context.ts';

const test = suite('objects of another server');

/** Of a server that has every namespace, and lists none. */
class OtherServer extends Client {
  override async request<T>({ path }: Parameters<Client['request']>[0]): Promise<T> {
    if (!/\/namespaces\/\w+$/.test(path)) return this.send();
    return { metadata: { name: path.slice(path.lastIndexOf('/') + 1) } } as T;
  }

  override async send(): Promise<never> {
    throw new Error('out of order');
  }
}

for (const hours of [-6, 0, 6])
  test(`a namespace that was looked up is known for 30 seconds where the clock is set by ${hours} hours`, () =>
    withMachineClock(async (clock) => {
      const client = new OtherServer({ server: 'http://127.0.0.1:1' }, { identity });
      const objects = new ClusterObjects({ client, resources: [namespaces], log: { warn() {} } });
      assert.is(objects.namespace('n'), undefined);
      assert.is(await objects.namespacePhase('n'), 'Active');
      clock.set(hours * HOUR);
      clock.pass(15_000);
      assert.is(objects.namespace('n')?.metadata.name, 'n');
      clock.pass(15_000);
      assert.is(objects.namespace('n'), undefined);
      await objects.close();
    }));
test.run();
