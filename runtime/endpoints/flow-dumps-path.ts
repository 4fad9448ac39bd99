/** Below it stand the tables that show what flow control does. */
export const FLOW_DUMPS_PATH = '/debug/api_priority_and_fairness/';
