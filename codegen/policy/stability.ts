/** Says how stable something is (specification: Versioning). */
export const stabilities = ['alpha', 'beta', 'stable'] as const;

export type Stability = (typeof stabilities)[number];

/** @param version such as `v1beta1`. `v0` is the form of what had no versions yet, and counts as alpha */
export function stabilityOf(version: string): Stability {
  if (version.includes('alpha') || version === 'v0') return 'alpha';
  return version.includes('beta') ? 'beta' : 'stable';
}

export function isLessStable(one: Stability, other: Stability): boolean {
  return stabilities.indexOf(one) < stabilities.indexOf(other);
}

export function lessStable(one: Stability, other: Stability): Stability {
  return isLessStable(one, other) ? one : other;
}
