/** The version of all programs of this project, which are published together. */
export const PROGRAM_VERSION = '0.1.0';
