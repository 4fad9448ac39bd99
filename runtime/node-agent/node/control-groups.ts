/** Reads the limits and the use of the kernel's root control group as this program sees it, for both versions of control groups. */
import type { SystemFiles } from './system-files.ts';

/** Limits of a group. A member is absent if there is no such limit, or if it cannot be read. */
export interface GroupLimits {
  /** thousandths of a processor */
  readonly cpu?: number;
  /** bytes */
  readonly memory?: number;
  readonly processes?: number;
}

/** What a group uses. A member is absent if it cannot be read. */
export interface GroupUse {
  /** bytes in use, without the pages of files that nobody has used lately, which the kernel can free at once; 1.32 counts in the same way */
  readonly workingSet?: number;
  readonly processes?: number;
}

export interface ControlGroups {
  /** undefined if the machine has no control groups */
  readonly version: 1 | 2 | undefined;
  limits(): GroupLimits;
  use(): GroupUse;
}

const ROOT = 'sys/fs/cgroup';
/** Bytes from which on a limit of version 1 means that there is none: the kernel then shows a number near 2^63. */
const UNLIMITED = 2 ** 60;

/** Finds out which version of control groups the machine has. */
export function controlGroups(files: SystemFiles): ControlGroups {
  if (files.has(`${ROOT}/cgroup.controllers`)) return new UnifiedGroups(files);
  if (files.names(`${ROOT}/memory`).length > 0 || files.names(`${ROOT}/cpu`).length > 0) return new SeparateGroups(files);
  return { version: undefined, limits: () => ({}), use: () => ({}) };
}

/** Version 2: one hierarchy for all controllers. */
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

/** Version 1: a hierarchy for each controller. */
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

/**
 * @param quota microseconds of processor time in each period; -1 and NaN (of the text `max`) mean that there is no limit
 * @param period microseconds
 */
function cpuOf(quota = -1, period = 0): { cpu?: number } {
  return quota > 0 && period > 0 ? { cpu: Math.round((quota / period) * 1_000) } : {};
}

function useOf(used: number | undefined, inactive: number, processes: number | undefined): GroupUse {
  return {
    ...(used !== undefined && { workingSet: Math.max(0, used - inactive) }),
    ...(processes !== undefined && { processes }),
  };
}
