import { OrchestratorError, ToolError } from '../../kernel/errors.ts';
import { cleanText } from './clean-text.ts';

interface Call {
  readonly server: string;
  readonly tool: string;
  /** How the server's process ended; null where it did not, or there is none. */
  readonly ending: string | null;
  readonly isAborted: boolean;
}

const REPORTED_CHARS = 2000;

/** What a failed call is for the run. What the server says of it stands in the details, as data. */
export async function toCallError(
  thrown: unknown,
  { server, tool, ending, isAborted }: Call,
): Promise<OrchestratorError> {
  const { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } =
    await import('@modelcontextprotocol/client');
  if (thrown instanceof OrchestratorError) return thrown;
  if (isAborted)
    return new OrchestratorError('aborted', `${tool}: the call was cancelled`, { cause: thrown });
  if (thrown instanceof ProtocolError) {
    // JSON-RPC: the parameters are not what the method takes.
    const isMisuse = thrown.code === -32602;
    return new ToolError(
      isMisuse ? 'TOOL_MISUSE' : 'PERMANENT',
      `MCP server ${server} refuses the call of ${tool}`,
      {
        details: { rpcCode: thrown.code, reported: reportedText(thrown) },
        cause: thrown,
      },
    );
  }
  const code = thrown instanceof SdkError ? thrown.code : null;
  if (code === SdkErrorCode.RequestTimeout) {
    return new OrchestratorError('timeout', `${tool}: MCP server ${server} did not answer in time`, {
      cause: thrown,
    });
  }
  if (code === SdkErrorCode.ConnectionClosed || code === SdkErrorCode.SendFailed || ending !== null) {
    // Like a call out of time: what it did before the connection was lost, nobody knows.
    const how = ending ?? 'the connection was lost';
    return new OrchestratorError('timeout', `${tool}: no answer of MCP server ${server}: ${how}`, {
      cause: thrown,
    });
  }
  if (code === SdkErrorCode.InvalidResult || code === SdkErrorCode.UnsupportedResultType) {
    return new OrchestratorError(
      'tool_output_invalid',
      `${tool}: the answer of MCP server ${server} is no result`,
      {
        details: { reported: reportedText(thrown) },
        cause: thrown,
      },
    );
  }
  if (code === SdkErrorCode.CapabilityNotSupported) {
    return new ToolError(
      'PERMANENT',
      `${tool}: MCP server ${server} asks for input in the middle of the call, and nobody can be asked then`,
      { details: { reported: reportedText(thrown) }, cause: thrown },
    );
  }
  if (thrown instanceof SdkHttpError && thrown.status >= 400 && thrown.status < 500) {
    const isPassing = thrown.status === 408 || thrown.status === 429;
    return new ToolError(
      isPassing ? 'TRANSIENT' : 'PERMANENT',
      `${tool}: MCP server ${server} answers ${thrown.status}`,
      {
        details: { httpStatus: thrown.status, reported: reportedText(thrown) },
        cause: thrown,
      },
    );
  }
  if (!wasNeverSent(thrown)) {
    return new OrchestratorError('timeout', `${tool}: no answer of MCP server ${server}`, {
      details: { reported: reportedText(thrown) },
      cause: thrown,
    });
  }
  return new ToolError('TRANSIENT', `${tool}: MCP server ${server} cannot be reached`, {
    details: { reported: reportedText(thrown) },
    cause: thrown,
  });
}

const NEVER_SENT: ReadonlySet<unknown> = new Set([
  ...['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'ENETUNREACH', 'EHOSTUNREACH', 'UND_ERR_CONNECT_TIMEOUT'],
]);

/** Whether the connection did not even come about. */
function wasNeverSent(thrown: unknown): boolean {
  for (let error = thrown, depth = 0; error instanceof Error && depth < 5; error = error.cause, depth++) {
    if (NEVER_SENT.has((error as { code?: unknown }).code)) return true;
  }
  return false;
}

/** Whether a server over HTTP says that it does not know the session (some say 400): the call was not made. */
export async function isSessionLost(thrown: unknown): Promise<boolean> {
  const { SdkHttpError } = await import('@modelcontextprotocol/client');
  return thrown instanceof SdkHttpError && (thrown.status === 404 || thrown.status === 400);
}

function reportedText(thrown: unknown): string {
  return cleanText(thrown instanceof Error ? thrown.message : String(thrown)).slice(0, REPORTED_CHARS);
}
