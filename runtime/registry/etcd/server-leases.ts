/**
 * The keys by which servers of one etcd know one another, as kube-apiserver has them there, each with an Endpoints object. etcd removes a key some seconds after it
 * was written for the last time.
 */
interface LeaseKeys {
  /** prefix of the keys, without a slash at its end */
  readonly prefix: string;
  /** what encryption configurations and metrics of 1.32 call them, as a resource of the core group */
  readonly resource: string;
}

/** Each is named by the address of its server, which the object holds. */
export const SERVER_LEASES: LeaseKeys = { prefix: 'masterleases', resource: 'apiServerIPInfo' };

/** Each is named by the identity of its server. The object holds the address and the port at which other servers reach it. */
export const PEER_LEASES: LeaseKeys = { prefix: 'peerserverleases', resource: 'apiServerPeerIPInfo' };

/** prefix of the resource whose kind the values are of */
export const LEASE_VALUES_OF = 'services/endpoints';

/** Seconds for which a key stays after its last write, as in 1.32. Servers write theirs every 10 seconds. */
export const LEASE_LIFE = 15;

const ALL = [SERVER_LEASES, PEER_LEASES];

/** @param prefix of a key, without a slash at its end. @returns undefined for keys of something else */
export const serverLeasesAt = (prefix: string): LeaseKeys | undefined => ALL.find((each) => each.prefix === prefix);
