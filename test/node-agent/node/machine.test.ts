/** What the agent finds of a machine: with control groups of both versions and none, within their limits and without. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { diskOf, Machine, parseProcessors } from '../../../runtime/node-agent/node/machine.ts';
import { SystemFiles } from '../../../runtime/node-agent/node/system-files.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'machines-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
let count = 0;

type Files = Readonly<Record<string, string>>;

const GIB = 1024 ** 3;
const COMMON: Files = {
  'proc/meminfo': 'MemTotal:       8388608 kB\nMemFree:        2097152 kB\nInactive(file):  1048576 kB\n',
  'proc/swaps': 'Filename\tType\tSize\tUsed\tPriority\n',
  'proc/loadavg': '0.00 0.01 0.05 1/300 4242\n',
  'proc/sys/kernel/pid_max': '32768\n',
  'proc/sys/kernel/threads-max': '60000\n',
  'proc/sys/kernel/osrelease': '6.1.0-18-amd64\n',
  'proc/sys/kernel/random/boot_id': 'boot-1\n',
  'sys/devices/system/cpu/online': '0-3\n',
  'etc/machine-id': 'machine-1\n',
  'etc/os-release': 'NAME=x\nPRETTY_NAME="Some Linux 12"\n',
  'sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages': '4\n',
  'sys/kernel/mm/hugepages/hugepages-1048576kB/nr_hugepages': '0\n',
};
const V2: Files = {
  'sys/fs/cgroup/cgroup.controllers': 'cpu memory pids\n',
  'sys/fs/cgroup/cpu.max': '150000 100000\n',
  'sys/fs/cgroup/memory.max': String(2 * GIB),
  'sys/fs/cgroup/memory.current': String(1.5 * GIB),
  'sys/fs/cgroup/memory.stat': `anon 1\ninactive_file ${GIB / 2}\n`,
  'sys/fs/cgroup/pids.max': '1000\n',
  'sys/fs/cgroup/pids.current': '40\n',
};
const V2_ROOT: Files = {
  'sys/fs/cgroup/cgroup.controllers': 'cpu memory pids\n',
  'sys/fs/cgroup/memory.stat': 'anon 1\ninactive_file 2\n',
};
const V1: Files = {
  'sys/fs/cgroup/memory/memory.limit_in_bytes': '9223372036854771712\n',
  'sys/fs/cgroup/memory/memory.usage_in_bytes': String(3 * GIB),
  'sys/fs/cgroup/memory/memory.stat': `total_inactive_file ${GIB}\n`,
  'sys/fs/cgroup/cpu/cpu.cfs_quota_us': '-1\n',
  'sys/fs/cgroup/cpu/cpu.cfs_period_us': '100000\n',
  'sys/fs/cgroup/pids/pids.max': 'max\n',
  'sys/fs/cgroup/pids/pids.current': '50\n',
};
const V1_LIMITED: Files = {
  ...V1,
  'sys/fs/cgroup/memory/memory.limit_in_bytes': String(4 * GIB),
  'sys/fs/cgroup/cpu/cpu.cfs_quota_us': '50000\n',
};

function machine(files: Files): Machine {
  const root = path.join(folder, String(count++));
  for (const [name, text] of Object.entries({ ...COMMON, ...files })) {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    writeFileSync(path.join(root, name), text);
  }
  return new Machine(new SystemFiles(root), () => diskOf(root));
}

const found = suite('a machine');
const rows: [
  name: string,
  files: Files,
  version: 1 | 2 | undefined,
  cpu: number,
  memory: number,
  available: number,
  processes: [number, number],
][] = [
  ['without control groups', {}, undefined, 4_000, 8 * GIB, 3 * GIB, [32_768 - 300, 32_768]],
  ['with groups of version 2, within their limits', V2, 2, 1_500, 2 * GIB, GIB, [960, 1_000]],
  ['with groups of version 2, of which it sees the root', V2_ROOT, 2, 4_000, 8 * GIB, 3 * GIB, [32_768 - 300, 32_768]],
  ['with groups of version 1', V1, 1, 4_000, 8 * GIB, 6 * GIB, [32_768 - 50, 32_768]],
  ['with groups of version 1, within their limits', V1_LIMITED, 1, 500, 4 * GIB, 2 * GIB, [32_768 - 50, 32_768]],
];
for (const [name, files, version, cpu, memory, available, [free, processes]] of rows)
  found(name, () => {
    const { facts, ...rest } = machine(files);
    assert.ok(rest);
    assert.equal([facts.controlGroups, facts.cpu, facts.memory], [version, cpu, memory]);
    const supplies = machine(files).supplies();
    assert.equal(supplies.get('memory.available'), { available, capacity: memory });
    assert.equal(supplies.get('pid.available'), { available: free, capacity: processes });
  });
found('says what it is', () => {
  const { machineID, systemUUID, bootID, kernelVersion, osImage, operatingSystem, hugePages, swaps } = machine({}).facts;
  assert.equal(
    [machineID, systemUUID, bootID, kernelVersion, osImage],
    ['machine-1', 'machine-1', 'boot-1', '6.1.0-18-amd64', 'Some Linux 12'],
  );
  assert.is(operatingSystem, process.platform);
  assert.equal(hugePages, { 'hugepages-1Gi': 0, 'hugepages-2Mi': 8 * 1024 ** 2 });
  assert.is(swaps, false);
});
found('swaps where a device is listed', () => {
  assert.ok(machine({ 'proc/swaps': 'Filename\tType\n/dev/sda2\tpartition\n' }).facts.swaps);
});
found('has the identifier of its firmware, where that can be read', () => {
  assert.is(machine({ 'sys/class/dmi/id/product_uuid': 'uuid-1\n' }).facts.systemUUID, 'uuid-1');
});
found('has a disk, images on it', () => {
  const supplies = machine({}).supplies();
  assert.ok((supplies.get('nodefs.available')?.capacity ?? 0) > 0);
  assert.equal(supplies.get('imagefs.available')?.capacity, supplies.get('nodefs.available')?.capacity);
});
found('has no disk where its folder is missing', () => assert.is(diskOf(path.join(folder, 'none')), undefined));
const lists: [text: string, size: number | undefined][] = [
  ['0-3', 4],
  ['0,2-3', 3],
  ['5', 1],
  ['3-1', undefined],
  ['a', undefined],
  ['', undefined],
];
for (const [text, size] of lists) found(`reads the processors "${text}"`, () => assert.is(parseProcessors(text)?.size, size));
found.run();
