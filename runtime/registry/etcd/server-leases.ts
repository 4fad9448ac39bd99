/**
 * The keys by which servers of one etcd say that they live, as kube-apiserver has them there: below `masterleases/`, each named by the address of its server, with an
 * Endpoints object that holds this address. etcd removes a key some seconds after it was written for the last time.
 */
export const SERVER_LEASES = {
  /** prefix of the keys, without a slash at its end */
  prefix: 'masterleases',
  /** prefix of the resource whose kind the values are of */
  valuesOf: 'services/endpoints',
  /** what encryption configurations and metrics of 1.32 call them, as a resource of the core group */
  resource: 'apiServerIPInfo',
  /** Seconds for which a key stays after its last write, as in 1.32. Servers write theirs every 10 seconds. */
  life: 15,
} as const;
