import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isExtendedResource, isNativeResource } from '../../runtime/formats/resource-names.ts';

const names = suite('names of resources');
const rows: [name: string, isNative: boolean, isExtended: boolean][] = [
  ['cpu', true, false],
  ['hugepages-2Mi', true, false],
  ['cluster.io/gpu', true, false],
  ['devices.cluster.io/gpu', true, false],
  ['mycluster.io/gpu', true, false],
  ['example.org/gpu', false, true],
  ['cluster.io.example.org/gpu', false, true],
  ['requests.example.org/gpu', false, false],
  ['example.org/g pu', false, false],
  ['Example.org/gpu', false, false],
  ['/gpu', false, false],
];
for (const [name, isNative, isExtended] of rows)
  names(`${name}: ${isNative ? 'native' : isExtended ? 'extended' : 'neither'}`, () => {
    assert.is(isNativeResource(name, 'cluster.io'), isNative);
    assert.is(isExtendedResource(name, 'cluster.io'), isExtended);
  });
names.run();
