/** Labels that tell runtimes which pod a container belongs to. They are part of the runtime interface, and so the same in both dialects. */
export const POD_NAME = 'io.kubernetes.pod.name';
export const POD_NAMESPACE = 'io.kubernetes.pod.namespace';
export const POD_UID = 'io.kubernetes.pod.uid';
export const CONTAINER_NAME = 'io.kubernetes.container.name';

/** Prefix of the agent's own labels. All other labels are the pod's. */
export const OWN_LABELS = 'io.kubernetes.';
