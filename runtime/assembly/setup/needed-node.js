/** Which versions of Node this runs on. It is plain JavaScript, for entry points ask it before they load anything else. */

/** The oldest one, as `engines` of package.json says: major and minor. */
const OLDEST = [22, 13];

/**
 * @param {string} version such as 22.13.0
 * @returns {string | undefined} what is wrong with it; undefined where nothing is
 */
export function nodeProblem(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = OLDEST;
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return undefined;
  return `Node ${OLDEST.join('.')} or newer is needed, this is ${version}`;
}
