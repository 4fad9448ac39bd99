/** Control groups of the kernel, in both versions: what the group at the root of what this program sees may have, and uses. */
import type { SystemFiles } from './system-files.ts';

/** Absent: there is no limit, or nothing is known. */
export interface GroupLimits {
  /** thousandths of a processor */
  readonly cpu?: number;
  /** bytes */
  readonly memory?: number;
  readonly processes?: number;
}

export interface GroupUse {
  /** bytes that could not be had at once, as 1.32 counts: what is used without files that nobody has used lately */
  readonly workingSet?: number;
  readonly processes?: number;
}

export interface ControlGroups {
  /** undefined: there are none */
  readonly version: 1 | 2 | undefined;
  limits(): GroupLimits;
  use(): GroupUse;
}

const ROOT = 'sys/fs/cgroup';
/** Version 1 has a number near 2^63 for no limit. */
const UNLIMITED = 2 ** 60;

export function controlGroups(files: SystemFiles): ControlGroups {
  if (files.has(`${ROOT}/cgroup.controllers`)) return new UnifiedGroups(files);
  if (files.names(`${ROOT}/memory`).length > 0 || files.names(`${ROOT}/cpu`).length > 0) return new SeparateGroups(files);
  return { version: undefined, limits: () => ({}), use: () => ({}) };
}

class UnifiedGroups implements ControlGroups {
  readonly version = 2;
  readonly #files: SystemFiles;

  constructor(files: SystemFiles) {
    this.#files = files;
  }

  limits(): GroupLimits {
    const [quota, period] = (this.#files.text(`${ROOT}/cpu.max`) ?? '').split(' ').map(Number);
    const memory = this.#files.number(`${ROOT}/memory.max`);
    const processes = this.#files.number(`${ROOT}/pids.max`);
    return {
      ...cpuOf(quota, period),
      ...(memory !== undefined && { memory }),
      ...(processes !== undefined && { processes }),
    };
  }

  use(): GroupUse {
    const used = this.#files.number(`${ROOT}/memory.current`);
    const inactive = this.#files.table(`${ROOT}/memory.stat`).get('inactive_file') ?? 0;
    return useOf(used, inactive, this.#files.number(`${ROOT}/pids.current`));
  }
}

class SeparateGroups implements ControlGroups {
  readonly version = 1;
  readonly #files: SystemFiles;

  constructor(files: SystemFiles) {
    this.#files = files;
  }

  limits(): GroupLimits {
    const memory = this.#files.number(`${ROOT}/memory/memory.limit_in_bytes`);
    const processes = this.#files.number(`${ROOT}/pids/pids.max`);
    return {
      ...cpuOf(this.#files.number(`${ROOT}/cpu/cpu.cfs_quota_us`), this.#files.number(`${ROOT}/cpu/cpu.cfs_period_us`)),
      ...(memory !== undefined && memory < UNLIMITED && { memory }),
      ...(processes !== undefined && { processes }),
    };
  }

  use(): GroupUse {
    const used = this.#files.number(`${ROOT}/memory/memory.usage_in_bytes`);
    const inactive = this.#files.table(`${ROOT}/memory/memory.stat`).get('total_inactive_file') ?? 0;
    return useOf(used, inactive, this.#files.number(`${ROOT}/pids/pids.current`));
  }
}

/** @param quota microseconds of processor time in each period; -1 and NaN are no limit */
function cpuOf(quota = -1, period = 0): { cpu?: number } {
  return quota > 0 && period > 0 ? { cpu: Math.round((quota / period) * 1_000) } : {};
}

function useOf(used: number | undefined, inactive: number, processes: number | undefined): GroupUse {
  return {
    ...(used !== undefined && { workingSet: Math.max(0, used - inactive) }),
    ...(processes !== undefined && { processes }),
  };
}
