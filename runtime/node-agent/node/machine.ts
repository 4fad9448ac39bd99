/** Measures the machine: how much it has of each resource, and how much of that is available, as the files of the kernel tell. */
import { statfsSync } from 'node:fs';
import { availableParallelism, endianness, machine as machineName, release } from 'node:os';
import { type ControlGroups, controlGroups } from './control-groups.ts';
import type { SystemFiles } from './system-files.ts';

/** Facts that the agent reads once, at its start. */
export interface MachineFacts {
  /** thousandths of a processor, of those that are online or that the control group allows, whichever is less */
  readonly cpu: number;
  /** bytes of the machine, or those that the control group allows if that is less */
  readonly memory: number;
  /** bytes of all pages of one size, by names of resources such as `hugepages-2Mi` */
  readonly hugePages: Readonly<Record<string, number>>;
  readonly controlGroups: ControlGroups['version'];
  /** whether the machine has swap space that is on */
  readonly swaps: boolean;
  readonly machineID: string;
  readonly systemUUID: string;
  readonly bootID: string;
  readonly kernelVersion: string;
  readonly osImage: string;
  /** the name of the operating system in Go, such as `linux` */
  readonly operatingSystem: string;
  /** the name of the architecture in Go, such as `amd64` */
  readonly architecture: string;
}

/** How much there is of one resource that can run short: bytes, or a count of inodes or processes. */
export interface Supply {
  readonly available: number;
  readonly capacity: number;
}

/** The signals for which the configuration may state eviction thresholds, as 1.32 names them. */
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

/** The supplies of all signals that can be measured on this machine. */
export type Supplies = ReadonlyMap<Signal, Supply>;

/** The supplies of one file system. */
export interface DiskState {
  /** in bytes */
  readonly space: Supply;
  readonly inodes: Supply;
}

/** The names of architectures in Go by their names in Node. */
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

  /** @param disk measures the file system of the agent's folder; it returns undefined if that is not possible */
  constructor(files: SystemFiles, disk: () => DiskState | undefined) {
    this.#files = files;
    this.#groups = controlGroups(files);
    this.#disk = disk;
    this.facts = factsOf(files, this.#groups);
  }

  /** Measures the file system of the agent's folder now. @returns undefined if that is not possible */
  disk(): DiskState | undefined {
    return this.#disk();
  }

  /**
   * Measures all supplies now. Images and the files that containers write are taken to be on the file system of the agent's folder, because the agent does not
   * ask the runtime where it has them.
   */
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

  /** Bytes of memory in use that cannot be freed at once. Without a control group that counts them, they are those of the whole machine. */
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

/** Measures the file system that a folder is on. @returns undefined if it cannot be measured, such as for a folder that does not exist */
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
    // the first line of the file has the titles of the columns, each other line is a swap space
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

/** The number of the processors that are online. */
function processors(files: SystemFiles): number {
  const online = parseProcessors(files.text('sys/devices/system/cpu/online') ?? '');
  return online?.size || availableParallelism();
}

/** Reads a list of processors. @param text such as `0-2,5`. @returns the numbers of the processors; undefined if the text has another form */
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
