// Reads vitest's JSON report (first argument), names every skipped test and ends with "N passed, N failed".
// Exit code 1 where a test failed, none ran, or a skipped one is not in the list of allowed skips (second argument).
import { existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';

/** @typedef {{ fullName: string, status: string }} TestResult */
/** @typedef {{ name: string, status: string, message?: string, assertionResults: TestResult[] }} FileResult */

const [reportFile = '', allowedFile = ''] = process.argv.slice(2);

/** @type {{ testResults: FileResult[] }} */
const report = existsSync(reportFile) ? JSON.parse(readFileSync(reportFile, 'utf8')) : { testResults: [] };
const allowed = new Set(
  readFileSync(allowedFile, 'utf8')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#')),
);

let passed = 0;
let failed = 0;
let unexplained = 0;
for (const file of report.testResults) {
  const path = relative(process.cwd(), file.name);
  // A file that could not be loaded has no tests, or only unfinished ones.
  const fileFailed =
    file.status === 'failed' && !file.assertionResults.some(({ status }) => status === 'failed');
  if (fileFailed) console.log(`failed: ${path}: ${file.message ?? ''}`);
  failed += fileFailed ? 1 : 0;
  for (const test of file.assertionResults) {
    if (test.status === 'passed') passed += 1;
    else if (test.status === 'failed') failed += 1;
    else {
      const name = `${path} > ${test.fullName}`;
      const isAllowed = allowed.has(name);
      console.log(`skipped${isAllowed ? '' : ' and not allowed'}: ${name}`);
      unexplained += isAllowed ? 0 : 1;
    }
  }
}
if (unexplained > 0) console.log(`${String(unexplained)} skipped test(s) are not listed in ${allowedFile}`);
if (passed + failed === 0) console.log(`no test ran (report: ${reportFile})`);
console.log(`${String(passed)} passed, ${String(failed)} failed`);
process.exitCode = passed === 0 || failed > 0 || unexplained > 0 ? 1 : 0;
