/** Annotations of apps/v1 that hold what versions before it have as fields. */

/** The revision that a deployment is asked to go back to. */
export const ROLLBACK = 'deprecated.deployment.rollback.to';
/** Counts the changes of a daemon set's template. The server alone sets it after the creation. */
export const TEMPLATE_GENERATION = 'deprecated.daemonset.template.generation';
