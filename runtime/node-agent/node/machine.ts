/** The machine, as its operating system describes it: how much it has of each resource, and how much of that is left. */
import { statfsSync } from 'node:fs';
import { availableParallelism, endianness, machine as machineName, release } from 'node:os';
import { type ControlGroups, controlGroups } from './control-groups.ts';
import type { SystemFiles } from './system-files.ts';

/** What stays as it is for as long as the machine runs. */
export interface MachineFacts {
  /** thousandths of a processor */
  readonly cpu: number;
  /** bytes */
  readonly memory: number;
  /** bytes of pages of one size, by names of resources such as `hugepages-2Mi` */
  readonly hugePages: Readonly<Record<string, number>>;
  readonly controlGroups: ControlGroups['version'];
  readonly swaps: boolean;
  readonly machineID: string;
  readonly systemUUID: string;
  readonly bootID: string;
  readonly kernelVersion: string;
  readonly osImage: string;
  /** as Go names them */
  readonly operatingSystem: string;
  readonly architecture: string;
}

/** Of one resource that can run short. */
export interface Supply {
  readonly available: number;
  readonly capacity: number;
}

/** Signals that thresholds are stated for, as 1.32 names them. */
export const SIGNALS = [
  'memory.available',
  'nodefs.available',
  'nodefs.inodesFree',
  'imagefs.available',
  'imagefs.inodesFree',
  'containerfs.available',
  'containerfs.inodesFree',
  'pid.available',
  'allocatableMemory.available',
] as const;
export type Signal = (typeof SIGNALS)[number];

/** Those that can be measured. */
export type Supplies = ReadonlyMap<Signal, Supply>;

/** Of one file system. */
export interface DiskState {
  /** bytes */
  readonly space: Supply;
  readonly inodes: Supply;
}

/** Names of Go by those of Node and of the kernel. */
const ARCHITECTURES: Readonly<Record<string, string>> = {
  x64: 'amd64',
  ia32: '386',
  arm64: 'arm64',
  arm: 'arm',
  ppc64: endianness() === 'LE' ? 'ppc64le' : 'ppc64',
  s390x: 's390x',
  riscv64: 'riscv64',
  loong64: 'loong64',
};

const KIB = 1024;
const MIB = 1024 * KIB;
const GIB = 1024 * MIB;

export class Machine {
  readonly facts: MachineFacts;
  readonly #files: SystemFiles;
  readonly #groups: ControlGroups;
  readonly #disk: () => DiskState | undefined;

  /** @param disk measures the disk of the agent's folder; undefined where that cannot be */
  constructor(files: SystemFiles, disk: () => DiskState | undefined) {
    this.#files = files;
    this.#groups = controlGroups(files);
    this.#disk = disk;
    this.facts = factsOf(files, this.#groups);
  }

  disk(): DiskState | undefined {
    return this.#disk();
  }

  /** Images and what containers write are on the disk of the agent: the runtime is not asked where it has them. */
  supplies(): Supplies {
    const memory = { available: Math.max(0, this.facts.memory - this.#workingSet()), capacity: this.facts.memory };
    const supplies = new Map<Signal, Supply>([
      ['memory.available', memory],
      ['allocatableMemory.available', memory],
    ]);
    const disk = this.#disk();
    if (disk !== undefined)
      for (const place of ['nodefs', 'imagefs', 'containerfs'] as const)
        supplies.set(`${place}.available`, disk.space).set(`${place}.inodesFree`, disk.inodes);
    const processes = this.#processes();
    if (processes !== undefined) supplies.set('pid.available', processes);
    return supplies;
  }

  /** Bytes. Where no control group counts them, those of the machine. */
  #workingSet(): number {
    const { workingSet } = this.#groups.use();
    if (workingSet !== undefined) return workingSet;
    const all = this.#files.table('proc/meminfo');
    const of = (name: string): number => (all.get(name) ?? 0) * KIB;
    return Math.max(0, of('MemTotal') - of('MemFree') - of('Inactive(file)'));
  }

  #processes(): Supply | undefined {
    const limits = [
      this.#groups.limits().processes,
      this.#files.number('proc/sys/kernel/pid_max'),
      this.#files.number('proc/sys/kernel/threads-max'),
    ];
    const capacity = Math.min(...limits.filter((each) => each !== undefined));
    const running = this.#groups.use().processes ?? Number(/\d+\/(\d+)/.exec(this.#files.text('proc/loadavg') ?? '')?.[1]);
    if (!Number.isFinite(capacity) || !Number.isFinite(running)) return undefined;
    return { capacity, available: Math.max(0, capacity - running) };
  }
}

/** @returns undefined for a folder that is not there */
export function diskOf(folder: string): DiskState | undefined {
  try {
    const { bsize, blocks, bavail, files, ffree } = statfsSync(folder);
    return { space: { capacity: blocks * bsize, available: bavail * bsize }, inodes: { capacity: files, available: ffree } };
  } catch {
    return undefined;
  }
}

function factsOf(files: SystemFiles, groups: ControlGroups): MachineFacts {
  const limits = groups.limits();
  const total = (files.table('proc/meminfo').get('MemTotal') ?? 0) * KIB;
  const all = processors(files) * 1_000;
  return {
    cpu: Math.min(all, limits.cpu ?? all),
    memory: Math.min(total, limits.memory ?? total),
    hugePages: hugePages(files),
    controlGroups: groups.version,
    // its first line has the titles of the columns
    swaps: (files.text('proc/swaps') ?? '').split('\n').length > 1,
    machineID: files.text('etc/machine-id') ?? files.text('var/lib/dbus/machine-id') ?? '',
    systemUUID: files.text('sys/class/dmi/id/product_uuid') ?? files.text('proc/device-tree/vm,uuid') ?? files.text('etc/machine-id') ?? '',
    bootID: files.text('proc/sys/kernel/random/boot_id') ?? '',
    kernelVersion: files.text('proc/sys/kernel/osrelease') ?? release(),
    osImage: osImage(files),
    operatingSystem: process.platform === 'win32' ? 'windows' : process.platform,
    architecture: ARCHITECTURES[process.arch] ?? machineName(),
  };
}

/** Those that are online. */
function processors(files: SystemFiles): number {
  const online = parseProcessors(files.text('sys/devices/system/cpu/online') ?? '');
  return online?.size || availableParallelism();
}

/** @param text such as `0-2,5`. @returns undefined for another form */
export function parseProcessors(text: string): ReadonlySet<number> | undefined {
  const numbers = new Set<number>();
  for (const part of text.trim().split(',')) {
    const [, from, to = from] = /^(\d{1,4})(?:-(\d{1,4}))?$/.exec(part.trim()) ?? [];
    if (from === undefined || Number(to) < Number(from)) return undefined;
    for (let number = Number(from); number <= Number(to); number++) numbers.add(number);
  }
  return numbers;
}

const PAGES = 'sys/kernel/mm/hugepages';

function hugePages(files: SystemFiles): Record<string, number> {
  const sizes = files.names(PAGES).flatMap((name) => {
    const size = Number(/^hugepages-(\d+)kB$/.exec(name)?.[1]) * KIB;
    return Number.isFinite(size)
      ? [[`hugepages-${sizeText(size)}`, size * (files.number(`${PAGES}/${name}/nr_hugepages`) ?? 0)] as const]
      : [];
  });
  return Object.fromEntries(sizes);
}

function sizeText(bytes: number): string {
  const [unit, size] =
    (
      [
        ['Gi', GIB],
        ['Mi', MIB],
      ] as const
    ).find(([, each]) => bytes % each === 0) ?? (['Ki', KIB] as const);
  return `${bytes / size}${unit}`;
}

function osImage(files: SystemFiles): string {
  const text = files.text('etc/os-release') ?? files.text('usr/lib/os-release') ?? '';
  const [, quoted] = /^PRETTY_NAME=(.*)$/m.exec(text) ?? [];
  return quoted?.replace(/^(["'])(.*)\1$/, '$2') ?? 'unknown';
}
