/** Labels by which runtimes know whose containers they have. They belong to the interface of runtimes, and are the same in both dialects. */
export const POD_NAME = 'io.kubernetes.pod.name';
export const POD_NAMESPACE = 'io.kubernetes.pod.namespace';
export const POD_UID = 'io.kubernetes.pod.uid';
export const CONTAINER_NAME = 'io.kubernetes.container.name';

/** Labels of the agent's own stand below it; all others are those of the pod. */
export const OWN_LABELS = 'io.kubernetes.';
