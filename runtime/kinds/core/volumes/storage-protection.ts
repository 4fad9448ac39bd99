/** Finalizers that keep storage while something uses it, by resource of the core group; with placeholders. */
export const STORAGE_PROTECTION = {
  persistentvolumes: '${labelDomain}/pv-protection',
  persistentvolumeclaims: '${labelDomain}/pvc-protection',
} as const;
